import { Col, ConsoleList } from '../shared/console-list';
import { Code, CustomerLink, Nok, Plain, Time } from '../shared/fields';
import { ofCustomer } from '../shared/filters';

/** AI calls whose outcome is unknown: uncharged here, perhaps charged by the provider. */
export function UnknownCallList() {
  return (
    <ConsoleList
      resource="ai/unknown"
      title="AI calls with unknown outcome"
      rowClick={false}
      csv
      filters={[ofCustomer]}
    >
      <Col source="resolved_at" label="When" disableSort>
        <Time source="resolved_at" />
      </Col>
      <Col source="customer_name" label="Customer" disableSort>
        <CustomerLink />
      </Col>
      <Col source="model" label="Model" disableSort>
        <Plain source="model" />
      </Col>
      <Col source="amount" label="Reserved, NOK" align="right" disableSort>
        <Nok source="amount" />
      </Col>
      <Col source="id" label="Call" disableSort>
        <Code source="id" />
      </Col>
    </ConsoleList>
  );
}
