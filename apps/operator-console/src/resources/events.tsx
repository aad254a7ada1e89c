import { TextInput, useRecordContext } from 'react-admin';
import { Col, ConsoleList } from '../shared/console-list';
import { CustomerLink, Time } from '../shared/fields';
import { ofCustomer } from '../shared/filters';
import { visibleText } from '../shared/formats';

/** What happened, as customers and their webhooks are told. */
export function EventList() {
  return (
    <ConsoleList
      resource="events"
      title="Events"
      rowClick={false}
      csv
      filters={[<TextInput key="type" source="type" label="Type, such as ticket.replied" alwaysOn />, ofCustomer]}
    >
      <Col source="created_at" label="When" disableSort>
        <Time source="created_at" />
      </Col>
      <Col source="type" label="Type" disableSort />
      <Col source="customer_name" label="Customer" disableSort>
        <CustomerLink />
      </Col>
      <Col source="reference" label="Record" disableSort>
        <Reference />
      </Col>
    </ConsoleList>
  );
}

function Reference() {
  const event = useRecordContext<{ id: string; reference?: unknown }>();
  return <code>{visibleText(JSON.stringify(event?.reference ?? {}))}</code>;
}
