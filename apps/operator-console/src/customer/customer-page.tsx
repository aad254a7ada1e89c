import { Stack, Typography } from '@mui/material';
import { NumberInput, SelectInput, Show, TabbedShowLayout, TextInput, useRecordContext } from 'react-admin';
import type { Query } from '../client/api';
import { download } from '../client/api';
import { AuditList } from '../resources/audit';
import { CreditRequestList } from '../resources/credit-requests';
import { InvoiceList } from '../resources/invoices';
import { RefusedRequestList } from '../resources/refused-requests';
import { SmsList } from '../resources/sms';
import { StatusPage } from '../resources/status';
import { TicketList } from '../resources/tickets';
import { CustomerTokens } from '../resources/tokens';
import { ActionButton } from '../shared/action-button';
import { State } from '../shared/fields';
import { visibleText } from '../shared/formats';
import { CustomerAi } from './customer-ai';
import { CustomerOverview } from './customer-overview';
import { CustomerServices } from './customer-services';

export interface Customer {
  id: string;
  name: string;
  customer_number: string;
  organization_number: string;
  email: string;
  active: boolean;
  limits: Record<(typeof LIMITS)[number][0], number | null>;
}

const LIMITS = [
  ['requests_per_minute', 'Requests per minute'],
  ['ai_per_minute', 'AI messages per minute'],
  ['sms_per_minute', 'SMS per minute'],
  ['pending_credit_requests', 'Credit requests that may be pending'],
] as const;

type Side = (props: { fixed: Query; embedded: true }) => React.ReactNode;

/** A list of another page, of this customer alone. */
function OfCustomer({ list: List }: { list: Side }) {
  const customer = useRecordContext<Customer>();
  return customer === undefined ? null : <List embedded fixed={{ customer_id: customer.id }} />;
}

/** Everything about a customer. */
export default function CustomerPage() {
  return (
    <Show title={<CustomerTitle />} actions={false}>
      <CustomerHead />
      <TabbedShowLayout spacing={0}>
        <TabbedShowLayout.Tab label="Overview">
          <CustomerOverview />
        </TabbedShowLayout.Tab>
        <TabbedShowLayout.Tab label="Services" path="services">
          <OfCustomer list={CustomerServices} />
        </TabbedShowLayout.Tab>
        <TabbedShowLayout.Tab label="Tokens" path="tokens">
          <OfCustomer list={CustomerTokens} />
        </TabbedShowLayout.Tab>
        <TabbedShowLayout.Tab label="AI" path="ai">
          <CustomerAi />
        </TabbedShowLayout.Tab>
        <TabbedShowLayout.Tab label="Credit requests" path="credit-requests">
          <OfCustomer list={CreditRequestList} />
        </TabbedShowLayout.Tab>
        <TabbedShowLayout.Tab label="Invoices" path="invoices">
          <OfCustomer list={InvoiceList} />
        </TabbedShowLayout.Tab>
        <TabbedShowLayout.Tab label="Tickets" path="tickets">
          <OfCustomer list={TicketList} />
        </TabbedShowLayout.Tab>
        <TabbedShowLayout.Tab label="SMS" path="sms">
          <OfCustomer list={SmsList} />
        </TabbedShowLayout.Tab>
        <TabbedShowLayout.Tab label="Status" path="status">
          <OfCustomer list={StatusPage} />
        </TabbedShowLayout.Tab>
        <TabbedShowLayout.Tab label="Refused requests" path="requests">
          <OfCustomer list={RefusedRequestList} />
        </TabbedShowLayout.Tab>
        <TabbedShowLayout.Tab label="Audit" path="audit">
          <OfCustomer list={AuditList} />
        </TabbedShowLayout.Tab>
      </TabbedShowLayout>
    </Show>
  );
}

function CustomerTitle() {
  const customer = useRecordContext<Customer>();
  return <bdi>{customer ? visibleText(customer.name) : 'Customer'}</bdi>;
}

function CustomerHead() {
  const customer = useRecordContext<Customer>();
  if (customer === undefined) return null;
  const path = `customers/${customer.id}`;
  const name = <bdi>{visibleText(customer.name)}</bdi>;
  return (
    <Stack direction="row" spacing={1} useFlexGap sx={{ p: 1.5, flexWrap: 'wrap', alignItems: 'center' }}>
      <Typography variant="h6" component="h1">
        {name}
      </Typography>
      <Typography variant="body2">
        {customer.customer_number}, organisation {customer.organization_number},{' '}
        <bdi>{visibleText(customer.email)}</bdi>
      </Typography>
      <State source="active" />
      <ActionButton
        label="Change"
        path={path}
        method="PATCH"
        needs="admin"
        done="The customer is changed"
        question={name}
        initial={{ name: customer.name, email: customer.email, organization_number: customer.organization_number }}
      >
        <TextInput source="name" label="Name" required />
        <TextInput source="email" label="E-mail" required />
        <TextInput source="organization_number" label="Organisation number" required />
      </ActionButton>
      <ActionButton
        label="Limits"
        path={`${path}/limits`}
        method="PATCH"
        needs="admin"
        done="The limits are set"
        question={<>{name}. An empty limit is that of the service.</>}
        initial={customer.limits}
        bodyOf={(values) =>
          Object.fromEntries(LIMITS.map(([source]) => [source, (values[source] as number | undefined) ?? null]))
        }
      >
        {LIMITS.map(([source, label]) => (
          <NumberInput key={source} source={source} label={label} min={0} />
        ))}
      </ActionButton>
      <ActionButton
        label="SMS settings"
        path={`${path}/sms`}
        needs="admin"
        done="The settings are stored"
        question={name}
      >
        <SelectInput
          source="enabled"
          label="May send SMS"
          choices={[
            { id: true, name: 'yes' },
            { id: false, name: 'no' },
          ]}
        />
        <TextInput source="sender_id" label="Sender that recipients see" />
        <TextInput source="daily_cap" label="SMS a day, or default" />
        <TextInput source="daily_parts_cap" label="Parts of SMS a day, or default" />
        <TextInput source="countries" label="Countries, such as NO,SE" />
      </ActionButton>
      {customer.active ? (
        <ActionButton
          label="Deactivate"
          path={`${path}/deactivate`}
          needs="admin"
          color="error"
          done="The customer is deactivated"
          question={<>{name}: all its tokens are refused at once.</>}
        />
      ) : (
        <>
          <ActionButton
            label="Activate"
            path={`${path}/activate`}
            needs="admin"
            done="The customer is active"
            question={<>{name}: its tokens are accepted again.</>}
          />
          <ActionButton
            label="Erase"
            path={`${path}/erase`}
            needs="admin"
            color="error"
            done="The personal data is erased"
            question={
              <>
                {name}: personal data is erased for good, except records that accounting law requires. Type the customer
                number to confirm.
              </>
            }
          >
            <TextInput
              source="customer_number"
              label="Customer number"
              required
              validate={(value: string) =>
                value === customer.customer_number ? undefined : `The number is ${customer.customer_number}`
              }
            />
          </ActionButton>
        </>
      )}
      <ExportButton path={path} />
    </Stack>
  );
}

function ExportButton({ path }: { path: string }) {
  return (
    <Typography
      component="button"
      variant="body2"
      sx={{ border: 0, bgcolor: 'transparent', color: 'primary.main', cursor: 'pointer' }}
      onClick={() => download(`${path}/export`)}
    >
      Export all data
    </Typography>
  );
}
