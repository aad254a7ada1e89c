import { Stack } from '@mui/material';
import { BooleanInput, SelectInput, TextInput, useRecordContext } from 'react-admin';
import type { Dto, Query } from '../client/api';
import { ActionButton } from '../shared/action-button';
import { Col, ConsoleList } from '../shared/console-list';
import { CustomerLink, Plain, Time } from '../shared/fields';
import { ofCustomer } from '../shared/filters';
import { visibleText } from '../shared/formats';

const SOURCES = ['stripe', 'fiken'].map((id) => ({ id, name: id }));

/** Customers' accounts in billing systems, and how their invoices are read from there. */
export function InvoiceSyncList({ fixed, embedded }: { fixed?: Query; embedded?: boolean }) {
  return (
    <ConsoleList
      resource="invoice-syncs"
      title="Invoice syncs"
      fixed={fixed}
      embedded={embedded}
      rowClick={false}
      filters={[
        <BooleanInput key="failing" source="failing" label="Only those that fail" alwaysOn />,
        ...(embedded ? [] : [ofCustomer]),
      ]}
      actions={fixed?.customer_id === undefined ? <SyncAll /> : <Link customerId={String(fixed.customer_id)} />}
    >
      {!embedded && (
        <Col source="customer_name" label="Customer" disableSort>
          <CustomerLink />
        </Col>
      )}
      <Col source="source" label="Billing system" disableSort />
      <Col source="source_customer_id" label="Id there" disableSort>
        <Plain source="source_customer_id" />
      </Col>
      <Col source="succeeded_at" label="Last success" disableSort>
        <Time source="succeeded_at" />
      </Col>
      <Col source="failures" label="Failures since" align="right" disableSort />
      <Col source="last_error" label="Last error" disableSort>
        <Plain source="last_error" />
      </Col>
      <Col source="problems" label="Documents that cannot be read" disableSort>
        <Problems />
      </Col>
      <Col label="Change" disableSort>
        <SyncActions />
      </Col>
    </ConsoleList>
  );
}

function SyncAll() {
  return (
    <ActionButton
      label="Sync all"
      title="Sync the invoices of all customers"
      path="invoice-syncs"
      needs="billing"
      done="The syncs are asked for"
      question="Of all customers, those that wait after a failure too. It takes a while."
      bodyOf={() => ({ full: false })}
    />
  );
}

function Link({ customerId }: { customerId: string }) {
  return (
    <ActionButton
      label="Link a billing account"
      path="billing-accounts"
      needs="billing"
      done="The account is linked; its invoices are read soon"
      question="The customer's account in a billing system."
      initial={{ source: 'stripe' }}
      bodyOf={(values) => ({ ...values, customer_id: customerId })}
    >
      <SelectInput source="source" label="Billing system" choices={SOURCES} emptyText={false} required />
      <TextInput source="source_customer_id" label="Stripe's customer id, Fiken's contact id" required />
    </ActionButton>
  );
}

function Problems() {
  const sync = useRecordContext<Dto<'InvoiceSyncDto'>>();
  return <bdi>{visibleText(sync?.problems.map((problem) => Object.values(problem).join(': ')).join('; ') ?? '')}</bdi>;
}

function SyncActions() {
  const sync = useRecordContext<Dto<'InvoiceSyncDto'>>();
  if (sync === undefined) return null;
  const which = { customer_id: sync.customer_id, source: sync.source };
  const name = `${visibleText(sync.customer_name)} in ${sync.source}`;
  return (
    <Stack direction="row" spacing={1}>
      <ActionButton
        label="Sync"
        title="Sync the invoices"
        path="invoice-syncs"
        needs="billing"
        done="The sync is asked for"
        question={name}
        initial={{ full: false }}
        bodyOf={({ full }) => ({ ...which, full: full === true })}
      >
        <BooleanInput source="full" label="All documents, not only those that changed" />
      </ActionButton>
      <ActionButton
        label="Unlink"
        title="Unlink the billing account"
        path="billing-accounts/unlink"
        needs="billing"
        color="error"
        done="The account is unlinked"
        question={`${name}: its invoices from there are no longer shown.`}
        bodyOf={() => which}
      />
    </Stack>
  );
}
