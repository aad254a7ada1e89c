import { Stack, Typography } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { TextInput, useRecordContext } from 'react-admin';
import { call, type Dto, type Query } from '../client/api';
import { ActionButton } from '../shared/action-button';
import { Col, ConsoleList } from '../shared/console-list';
import { CustomerLink, Nok, Plain, State, Time } from '../shared/fields';
import { ofCustomer, oneOf } from '../shared/filters';
import { formatNok, useFormats, visibleText } from '../shared/formats';

type CreditRequest = Dto<'CreditRequestDto'>;

/** The inbox of requests for credit; without a customer those of all. */
export function CreditRequestList({ fixed, embedded }: { fixed?: Query; embedded?: boolean }) {
  return (
    <ConsoleList
      resource="credit-requests"
      title="Credit requests"
      fixed={fixed}
      embedded={embedded}
      filters={[oneOf('status', ['pending', 'approved', 'rejected']), ...(embedded ? [] : [ofCustomer])]}
      rowClick={false}
      csv
    >
      <Col source="id" label="No." disableSort />
      {!embedded && (
        <Col source="customer_name" label="Customer" disableSort>
          <CustomerLink />
        </Col>
      )}
      <Col source="amount_nok" label="NOK" align="right" disableSort>
        <Nok source="amount_nok" />
      </Col>
      <Col source="status" label="Status" disableSort>
        <State source="status" />
      </Col>
      <Col label="Decide" disableSort>
        <Decide />
      </Col>
      <Col source="reference" label="Reference" disableSort>
        <Plain source="reference" />
      </Col>
      <Col source="note" label="Note" disableSort>
        <Plain source="note" />
      </Col>
      <Col source="created_at" label="Requested" disableSort>
        <Time source="created_at" />
      </Col>
      <Col label="Decision" disableSort>
        <Decision />
      </Col>
    </ConsoleList>
  );
}

/** Who decided, and why; or who approved it first if it waits for a second person. */
function Decision() {
  const request = useRecordContext<CreditRequest>();
  const { decided_by: by, first_approved_by: first, reason } = request ?? {};
  const text = by
    ? `${by}${reason ? `: ${reason}` : ''}`
    : first
      ? `${first} approved it; it needs a second person`
      : '–';
  return <bdi>{visibleText(text)}</bdi>;
}

function Decide() {
  const request = useRecordContext<CreditRequest>();
  const [formats] = useFormats();
  if (request?.status !== 'pending') return null;
  const who = <bdi>{visibleText(request.customer_name)}</bdi>;
  const amount = `${formatNok(request.amount_nok, formats)} NOK`;
  return (
    <Stack direction="row" spacing={1}>
      <ActionButton
        label="Approve"
        path={`credit-requests/${request.id}/approve`}
        needs="billing"
        color="success"
        done={`Request ${request.id} is approved`}
        question={
          <>
            {who}: {amount} are invoiced, and the credit is added at once.
            <CustomerMoney customerId={request.customer_id} />
          </>
        }
      >
        <TextInput
          source="invoice_number"
          label="Number printed on the invoice"
          helperText={`AI-${request.id} if empty`}
        />
      </ActionButton>
      <ActionButton
        label="Reject"
        path={`credit-requests/${request.id}/reject`}
        needs="billing"
        color="error"
        done={`Request ${request.id} is rejected`}
        question={
          <>
            {who}: {amount}. The rejection is final, and the customer can read the reason.
          </>
        }
      >
        <TextInput source="reason" label="Reason" required multiline />
      </ActionButton>
    </Stack>
  );
}

/** What the customer has spent and owes: the basis of a decision. */
function CustomerMoney({ customerId }: { customerId: string }) {
  const [formats] = useFormats();
  const { data } = useQuery({
    queryKey: ['overview', customerId],
    queryFn: () => call<Dto<'CustomerOverviewDto'>>('GET', `customers/${customerId}/overview`),
  });
  if (data === undefined) return null;
  return (
    <Typography variant="body2" sx={{ mt: 1 }}>
      Used this month: {formatNok(data.ai?.month_usage_nok ?? 0, formats)} NOK. Purchased credit left:{' '}
      {formatNok(data.ai?.purchased_nok ?? 0, formats)} NOK. Owed: {formatNok(data.owed_nok, formats)} NOK, of which{' '}
      {formatNok(data.overdue_nok, formats)} NOK is overdue.
    </Typography>
  );
}
