import { Button, Stack, type Theme, Typography, useMediaQuery } from '@mui/material';
import { useState } from 'react';
import {
  BooleanInput,
  TabbedShowLayout,
  TabbedShowLayoutTabs,
  TextInput,
  usePermissions,
  useRecordContext,
} from 'react-admin';
import type { Dto, Query } from '../client/api';
import { AuditList } from '../resources/audit';
import { CreditRequestList } from '../resources/credit-requests';
import { InvoiceSyncList } from '../resources/invoice-syncs';
import { InvoiceList } from '../resources/invoices';
import { RefusedRequestList } from '../resources/refused-requests';
import { SmsList } from '../resources/sms';
import { StatusPage } from '../resources/status';
import { TicketList } from '../resources/tickets';
import { CustomerTokens } from '../resources/tokens';
import { WebhookEndpointList } from '../resources/webhooks';
import { may, type Role } from '../session';
import { ActionButton } from '../shared/action-button';
import { ConsoleShow } from '../shared/console-show';
import { State } from '../shared/fields';
import { visibleText } from '../shared/formats';
import { OrganizationNumberInput, WholeNumberInput } from '../shared/number-inputs';
import { useSmsSettings } from '../shared/of-customer';
import { CustomerAi } from './customer-ai';
import { CustomerOverview, LIMITS } from './customer-overview';
import { CustomerServices } from './customer-services';

export type Customer = Dto<'CustomerDto'>;

type Side = (props: { fixed: Query; embedded: true }) => React.ReactNode;

/** A list of another page, of this customer alone. */
function OfCustomer({ list: List }: { list: Side }) {
  const customer = useRecordContext<Customer>();
  return customer === undefined ? null : <List embedded fixed={{ customer_id: customer.id }} />;
}

/** All tabs are in view, on a phone in several lines: none is behind an arrow. */
const ALL_TABS = {
  minHeight: 0,
  '& .MuiTabs-list': { flexWrap: 'wrap' },
  '& .MuiTabs-indicator': { display: 'none' },
  '& .MuiTab-root': { minWidth: 0, minHeight: 38, px: 1.25, py: 0.5, textTransform: 'none' },
  '@media (max-width: 599.95px)': { '& .MuiTab-root': { minHeight: 28, px: 1, py: 0.25 } },
  '& .MuiTab-root.Mui-selected': { boxShadow: 'inset 0 -2px 0 currentColor' },
} as const;

/** The invoices, and where they come from. */
function InvoicesAndSyncs({ fixed }: { fixed: Query }) {
  return (
    <>
      <InvoiceList embedded fixed={fixed} />
      <Typography component="h2" variant="subtitle1" sx={{ mt: 1, fontWeight: 600 }}>
        Billing systems that they come from
      </Typography>
      <InvoiceSyncList embedded fixed={fixed} />
    </>
  );
}

/** Everything about a customer. */
export default function CustomerPage() {
  const { permissions } = usePermissions<Role>();
  return (
    <ConsoleShow title={<CustomerTitle />}>
      <CustomerHead />
      <TabbedShowLayout spacing={0} tabs={<TabbedShowLayoutTabs variant="standard" sx={ALL_TABS} />}>
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
          <OfCustomer list={InvoicesAndSyncs} />
        </TabbedShowLayout.Tab>
        <TabbedShowLayout.Tab label="Tickets" path="tickets">
          <OfCustomer list={TicketList} />
        </TabbedShowLayout.Tab>
        {may(permissions, 'support') && (
          <TabbedShowLayout.Tab label="SMS" path="sms">
            <OfCustomer list={SmsList} />
          </TabbedShowLayout.Tab>
        )}
        <TabbedShowLayout.Tab label="Status" path="status">
          <OfCustomer list={StatusPage} />
        </TabbedShowLayout.Tab>
        <TabbedShowLayout.Tab label="Webhooks" path="webhooks">
          <OfCustomer list={WebhookEndpointList} />
        </TabbedShowLayout.Tab>
        <TabbedShowLayout.Tab label="Refused requests" path="requests">
          <OfCustomer list={RefusedRequestList} />
        </TabbedShowLayout.Tab>
        <TabbedShowLayout.Tab label="Audit" path="audit">
          <OfCustomer list={AuditList} />
        </TabbedShowLayout.Tab>
      </TabbedShowLayout>
    </ConsoleShow>
  );
}

function CustomerTitle() {
  const customer = useRecordContext<Customer>();
  return <bdi>{customer ? visibleText(customer.name) : 'Customer'}</bdi>;
}

function CustomerHead() {
  const customer = useRecordContext<Customer>();
  // A phone shows the tabs in its first view: the actions are behind a button.
  const isPhone = useMediaQuery<Theme>((theme) => theme.breakpoints.down('sm'));
  const [isOpen, setOpen] = useState(false);
  const { permissions } = usePermissions<Role>();
  if (customer === undefined) return null;
  const name = <bdi>{visibleText(customer.name)}</bdi>;
  return (
    <Stack spacing={1} sx={{ p: 1.5, pb: 0.5 }}>
      <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap', alignItems: 'baseline' }}>
        <Typography variant="h6" component="h1" sx={{ overflowWrap: 'anywhere' }}>
          {name}
        </Typography>
        <Typography variant="body2" sx={{ overflowWrap: 'anywhere' }}>
          {customer.customer_number}, organisation {customer.organization_number},{' '}
          <bdi>{visibleText(customer.email)}</bdi>
        </Typography>
        <State source="active" />
        {isPhone && may(permissions, 'admin') && (
          <Button size="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Fewer actions' : 'Actions'}
          </Button>
        )}
      </Stack>
      {(isOpen || !isPhone) && <CustomerActions customer={customer} />}
    </Stack>
  );
}

/** What can be done with the customer as a whole. */
function CustomerActions({ customer }: { customer: Customer }) {
  const path = `customers/${customer.id}`;
  const name = <bdi>{visibleText(customer.name)}</bdi>;
  return (
    <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap' }}>
      <ActionButton
        label="Change"
        title="Change the customer"
        path={path}
        method="PATCH"
        needs="admin"
        done="The customer is changed"
        question={name}
        initial={{ name: customer.name, email: customer.email, organization_number: customer.organization_number }}
      >
        <TextInput source="name" label="Name" required />
        <TextInput source="email" label="E-mail" required />
        <OrganizationNumberInput required />
      </ActionButton>
      <ActionButton
        label="Limits"
        title="Limits of the customer"
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
          <WholeNumberInput key={source} source={source} label={label} />
        ))}
      </ActionButton>
      <SmsSettings customer={customer} />
      {customer.active ? (
        <ActionButton
          label="Deactivate"
          title="Deactivate the customer"
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
            title="Activate the customer"
            path={`${path}/activate`}
            needs="admin"
            done="The customer is active"
            question={<>{name}: its tokens are accepted again.</>}
          />
          <ActionButton
            label="Erase"
            title="Erase the customer's data"
            bodyOf={() => ({ dry_run: false })}
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
      <ActionButton
        label="Export all data"
        title="Export all data of the customer"
        path={`${path}/export`}
        needs="admin"
        file={`customer-${customer.customer_number}.json`}
        confirmLabel="Export"
        done="The file is saved"
        question={<>{name}: one file with all that is stored of it, without secrets. The audit log has the export.</>}
      />
    </Stack>
  );
}

/** What stands in the form for no restriction. */
const ALL_COUNTRIES = 'all';

/** Countries of the form's text: none in the list for all, null for those of the service. */
function countriesOf(text: string): string[] | null {
  const words = text.split(/[ ,]+/).filter(Boolean);
  if (words.length === 0) return null;
  return words.length === 1 && words[0]?.toLowerCase() === ALL_COUNTRIES ? [] : words;
}

/** Whether and how the customer may send SMS. */
function SmsSettings({ customer }: { customer: Customer }) {
  const path = `customers/${customer.id}/sms`;
  const { data } = useSmsSettings(customer.id);
  return (
    <ActionButton
      label="SMS settings"
      title={`SMS settings of ${visibleText(customer.name)}`}
      path={path}
      method="PATCH"
      needs="admin"
      // Sent without what is stored, the form would replace it by nothing.
      disabled={data === undefined}
      done="The settings are stored"
      question="What the customer may send, and as whom."
      initial={{ ...data, countries: data?.countries?.length === 0 ? ALL_COUNTRIES : data?.countries?.join(' ') }}
      bodyOf={({ enabled, sender_id: sender, daily_cap: cap, daily_parts_cap: parts, countries }) => ({
        enabled,
        ...(sender ? { sender_id: sender } : {}),
        daily_cap: cap ?? null,
        daily_parts_cap: parts ?? null,
        countries: countriesOf(String(countries ?? '')),
      })}
    >
      <BooleanInput source="enabled" label="May send SMS" />
      <TextInput
        source="sender_id"
        label="Sender that recipients see"
        validate={(sender?: string | null) =>
          data?.sender_id && !sender ? 'It cannot be removed: without "May send SMS" nothing is sent' : undefined
        }
      />
      <WholeNumberInput source="daily_cap" label="SMS a day (that of the service if empty)" />
      <WholeNumberInput source="daily_parts_cap" label="Parts of SMS a day (that of the service if empty)" />
      <TextInput source="countries" label="Countries, such as NO SE, or all (those of the service if empty)" />
    </ActionButton>
  );
}
