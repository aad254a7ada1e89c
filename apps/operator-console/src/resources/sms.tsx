import type { Query } from '../client/api';
import { Col, ConsoleList } from '../shared/console-list';
import { Code, CustomerLink, Plain, State, Time } from '../shared/fields';
import { ofCustomer, oneOf, search } from '../shared/filters';

/** The SMS that customers sent; without a customer those of all. */
export function SmsList({ fixed, embedded }: { fixed?: Query; embedded?: boolean }) {
  return (
    <ConsoleList
      resource="sms"
      title="SMS"
      fixed={fixed}
      embedded={embedded}
      rowClick={false}
      csv
      filters={[
        search('recipient'),
        oneOf('status', ['unknown', 'accepted', 'sent', 'failed', 'delivered']),
        ...(embedded ? [] : [ofCustomer]),
      ]}
    >
      <Col source="created_at" label="Sent" disableSort>
        <Time source="created_at" />
      </Col>
      {!embedded && (
        <Col source="customer_name" label="Customer" disableSort>
          <CustomerLink />
        </Col>
      )}
      <Col source="recipient" label="Recipient" disableSort>
        <Plain source="recipient" />
      </Col>
      <Col source="sender_id" label="Sender" disableSort>
        <Plain source="sender_id" />
      </Col>
      <Col source="status" label="Status" disableSort>
        <State source="status" />
      </Col>
      <Col source="error_code" label="Error" disableSort>
        <Plain source="error_code" />
      </Col>
      <Col source="segments" label="Parts" align="right" disableSort />
      <Col source="message" label="Message" disableSort>
        <Plain source="message" />
      </Col>
      <Col source="id" label="Id" disableSort>
        <Code source="id" />
      </Col>
    </ConsoleList>
  );
}
