import { Box, Chip, Link as MuiLink, Stack } from '@mui/material';
import { BooleanInput, SelectInput, SimpleShowLayout, TextInput, useRecordContext } from 'react-admin';
import type { Dto, Query } from '../client/api';
import { ActionButton } from '../shared/action-button';
import { Col, ConsoleList } from '../shared/console-list';
import { ConsoleShow } from '../shared/console-show';
import { DayInput } from '../shared/date-inputs';
import { Code, CustomerLink, Day, Nok, Plain, State, Time } from '../shared/fields';
import { ofCustomer, oneOf, search } from '../shared/filters';
import { formatNok, useFormats, visibleText } from '../shared/formats';
import { DecimalInput } from '../shared/number-inputs';

const STATUSES = ['open', 'paid', 'void', 'uncollectible'] as const;

/** Invoices and credit notes of all billing sources; without a customer those of all. */
export function InvoiceList({ fixed, embedded }: { fixed?: Query; embedded?: boolean }) {
  const customerId = fixed?.customer_id;
  return (
    <ConsoleList
      resource="invoices"
      title="Invoices"
      fixed={fixed}
      embedded={embedded}
      csv
      filters={[
        search('number'),
        oneOf('status', ['draft', ...STATUSES]),
        oneOf('source', ['manual', 'stripe', 'fiken']),
        <DayInput key="due_before" source="due_before" label="Due before" />,
        <BooleanInput key="overdue" source="overdue" label="Only those that are overdue" />,
        ...(embedded ? [] : [ofCustomer]),
      ]}
      actions={customerId !== undefined && <AddInvoice customerId={String(customerId)} />}
    >
      <Col source="number" label="Number" disableSort>
        <Plain source="number" /> <CreditNote />
      </Col>
      {!embedded && (
        <Col source="customer_name" label="Customer" disableSort>
          <CustomerLink />
        </Col>
      )}
      <Col source="source" label="Source" disableSort />
      <Col source="status" label="Status" disableSort>
        <State source="status" />
      </Col>
      <Col source="amount" label="Amount" align="right" disableSort>
        <Nok source="amount" />
      </Col>
      <Col source="amount_due" label="Due" align="right" disableSort>
        <Nok source="amount_due" />
      </Col>
      <Col source="currency" label="Currency" disableSort />
      <Col source="issue_date" label="Issued" disableSort>
        <Day source="issue_date" />
      </Col>
      <Col source="due_date" label="Due date" disableSort>
        <Day source="due_date" />
      </Col>
      <Col label="Change" disableSort>
        <SetStatus />
      </Col>
    </ConsoleList>
  );
}

/** A credit note is in the list of the invoices, and its amount is positive as theirs. */
function CreditNote() {
  const invoice = useRecordContext<Dto<'InvoiceDto'>>();
  return invoice?.type === 'credit_note' ? <Chip size="small" color="info" label="credit note" /> : null;
}

/** One invoice or credit note, with its documents and where it comes from. */
export function InvoicePage() {
  return (
    <ConsoleShow title="Invoice">
      <SimpleShowLayout>
        <CustomerLink label="Customer" />
        <Plain source="number" label="Number" />
        <State source="type" label="Kind" />
        <Plain source="source" label="Source" />
        <Code source="source_id" label="Id there" />
        <Time source="synced_at" label="Synced" />
        <State source="status" label="Status" />
        <Nok source="amount" label="Amount" />
        <Nok source="amount_due" label="Due" />
        <Plain source="currency" label="Currency" />
        <Plain source="kid" label="KID" />
        <Day source="issue_date" label="Issued" />
        <Day source="due_date" label="Due date" />
        <Documents label="Documents" />
        <Code source="id" label="Id" />
      </SimpleShowLayout>
      <Box sx={{ px: 2, pb: 2 }}>
        <SetStatus />
      </Box>
    </ConsoleShow>
  );
}

function Documents(_props: { label: string }) {
  const invoice = useRecordContext<Dto<'InvoiceDto'> & Partial<Dto<'InvoiceDetailsDto'>>>();
  const [formats] = useFormats();
  // An invoice of the list, which is shown until its details are there, has none of them.
  if (invoice?.pdf_url === undefined) return null;
  const addresses = (
    [
      ['PDF', invoice.pdf_url],
      ['page', invoice.hosted_url],
    ] as const
  ).flatMap(([name, address]) => (address?.startsWith('https://') ? [[name, address] as const] : []));
  if (addresses.length > 0)
    return (
      <Stack direction="row" spacing={1}>
        {addresses.map(([name, address]) => (
          <MuiLink key={name} href={address} target="_blank" rel="noopener noreferrer">
            {name}
          </MuiLink>
        ))}
      </Stack>
    );
  if (invoice.source !== 'manual') return <span>None: the billing system has given no address.</span>;
  return (
    <span>
      None: this service writes none. Write and send the invoice in your billing system, over{' '}
      {formatNok(invoice.amount, formats)} {invoice.currency}, with the number{' '}
      <bdi>{visibleText(invoice.number ?? '–')}</bdi> printed on it: by it the customer finds it here. When it is paid,
      set its status.
    </span>
  );
}

function SetStatus() {
  const invoice = useRecordContext<{ id: string; number: string; source: string; status: string }>();
  // The billing system decides about its own.
  if (invoice?.source !== 'manual') return null;
  return (
    <ActionButton
      label="Set status"
      title="Set the status of the invoice"
      path={`invoices/${invoice.id}/set-status`}
      needs="billing"
      done="The status is set"
      initial={{ status: invoice.status }}
      bodyOf={({ status }) => ({ status, replaces: invoice.status })}
      question={`Invoice ${invoice.number}. The customer sees its status.`}
    >
      <SelectInput
        source="status"
        label="Status"
        choices={STATUSES.map((id) => ({ id, name: id }))}
        emptyText={false}
        required
      />
    </ActionButton>
  );
}

function AddInvoice({ customerId }: { customerId: string }) {
  return (
    <ActionButton
      label="Add an invoice"
      path="invoices"
      needs="billing"
      done="The invoice is added"
      question="An invoice that no billing system has. The customer sees it at once."
      bodyOf={(values) =>
        Object.fromEntries([
          ...Object.entries(values).filter(([, value]) => value !== '' && value !== null && value !== undefined),
          ['amount_nok', Number(values.amount_nok)],
          ['customer_id', customerId],
        ])
      }
    >
      <TextInput source="number" label="Number printed on it" required />
      <DecimalInput source="amount_nok" label="Total in NOK" required />
      <DayInput source="issue_date" label="Issue date" required />
      <DayInput source="due_date" label="Due date" required />
      <TextInput source="kid" label="KID" />
      <TextInput source="pdf_url" label="Address of its PDF" />
      <TextInput source="hosted_url" label="Address of its page" />
    </ActionButton>
  );
}
