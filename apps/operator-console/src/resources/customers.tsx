import { TextInput } from 'react-admin';
import { ActionButton } from '../shared/action-button';
import { Col, ConsoleList } from '../shared/console-list';
import { Nok, Plain, State } from '../shared/fields';
import { oneOf, search } from '../shared/filters';

export function CustomerList() {
  return (
    <ConsoleList
      title="Customers"
      csv
      filters={[search('name, number, organisation number or e-mail'), oneOf('state', ['active', 'inactive'])]}
      actions={
        <ActionButton
          label="Add a customer"
          path="customers"
          needs="admin"
          done="The customer is added"
          question="A customer without services and tokens."
        >
          <TextInput source="name" label="Name" required />
          <TextInput source="organization_number" label="Organisation number" required />
          <TextInput source="email" label="E-mail" type="email" required />
          <TextInput source="customer_number" label="Customer number" helperText="The next free one if empty" />
        </ActionButton>
      }
    >
      <Col source="customer_number" label="Number" disableSort />
      <Col source="name" label="Name" disableSort>
        <Plain source="name" />
      </Col>
      <Col source="organization_number" label="Organisation no." disableSort />
      <Col source="email" label="E-mail" disableSort>
        <Plain source="email" />
      </Col>
      <Col source="ai_spent_this_month_nok" label="AI this month, NOK" align="right" disableSort>
        <Nok source="ai_spent_this_month_nok" />
      </Col>
      <Col source="active" label="State" disableSort>
        <State source="active" />
      </Col>
    </ConsoleList>
  );
}
