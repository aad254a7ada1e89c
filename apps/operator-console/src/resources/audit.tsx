import { useRecordContext, TextInput } from 'react-admin';
import type { Query } from '../client/api';
import { Col, ConsoleList } from '../shared/console-list';
import { CustomerLink, Plain, Time } from '../shared/fields';
import { ofCustomer, since, until } from '../shared/filters';
import { visibleText } from '../shared/formats';

/** Every change, with the person who made it. */
export function AuditList({ fixed, embedded }: { fixed?: Query; embedded?: boolean }) {
  return (
    <ConsoleList
      resource="audit"
      title="Audit"
      fixed={fixed}
      embedded={embedded}
      rowClick={false}
      csv
      filters={[
        <TextInput key="action" source="action" label="Action, such as token.issue" alwaysOn />,
        <TextInput key="by" source="by" label="By" alwaysOn />,
        since,
        until,
        ...(embedded ? [] : [ofCustomer]),
      ]}
    >
      <Col source="created_at" label="When" disableSort>
        <Time source="created_at" />
      </Col>
      <Col source="actor" label="Who" disableSort>
        <Plain source="actor" />
      </Col>
      <Col source="action" label="Action" disableSort />
      {!embedded && (
        <Col source="customer_name" label="Customer" disableSort>
          <CustomerLink />
        </Col>
      )}
      <Col source="metadata" label="Details" disableSort>
        <Metadata />
      </Col>
    </ConsoleList>
  );
}

function Metadata() {
  const metadata = useRecordContext<{ id: string; metadata?: Record<string, unknown> }>()?.metadata ?? {};
  return (
    <bdi style={{ overflowWrap: 'anywhere' }}>
      {Object.entries(metadata)
        .map(([name, value]) => `${name}: ${visibleText(typeof value === 'string' ? value : JSON.stringify(value))}`)
        .join(', ')}
    </bdi>
  );
}
