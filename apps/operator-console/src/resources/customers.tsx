import { Alert } from '@mui/material';
import { BooleanInput, TextInput } from 'react-admin';
import { useNavigate } from 'react-router-dom';
import type { Dto } from '../client/api';
import { ActionButton } from '../shared/action-button';
import { Col, ConsoleList } from '../shared/console-list';
import { Nok, Plain, State } from '../shared/fields';
import { oneOf, search } from '../shared/filters';
import { visibleText } from '../shared/formats';
import { OrganizationNumberInput } from '../shared/number-inputs';

export function CustomerList() {
  const navigate = useNavigate();
  return (
    <ConsoleList
      title="Customers"
      csv
      filters={[search('name, number, organisation number or e-mail'), oneOf('state', ['active', 'inactive'])]}
      actions={
        <>
          <ImportCustomers />
          <ActionButton
            label="Add a customer"
            path="customers"
            needs="admin"
            done={(reply) => `${visibleText((reply as Dto<'CustomerDto'>).name)} is added`}
            onDone={({ id }) => void navigate(`/customers/${id}/show`)}
            question="A customer without services and tokens; its page opens."
          >
            <TextInput source="name" label="Name" required />
            <OrganizationNumberInput required />
            <TextInput source="email" label="E-mail" type="email" required />
            <TextInput source="customer_number" label="Customer number" helperText="The next free one if empty" />
          </ActionButton>
        </>
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

/** Customers of a CSV file, all or none. */
function ImportCustomers() {
  return (
    <ActionButton
      label="Import"
      title="Import customers"
      path="customers/import"
      needs="admin"
      question="CSV with a first line of columns: name, org_number, email and, if you like, customer_number. All are added, or none."
      initial={{ dry_run: true }}
      result={(reply) => <ImportedLines lines={(reply as unknown as Dto<'ImportedLinesDto'>).data} />}
    >
      <TextInput source="csv" label="CSV" multiline minRows={6} required />
      <BooleanInput source="dry_run" label="Only check every line" />
    </ActionButton>
  );
}

function ImportedLines({ lines }: { lines: Dto<'ImportedLineDto'>[] }) {
  return lines.map(({ line, result, name, problem }) => (
    <Alert key={line} severity={result === 'refused' ? 'error' : 'info'}>
      Line {line}, {name}: {result}
      {problem ? `, ${problem}` : ''}
    </Alert>
  ));
}
