import { Link as MuiLink, Stack, Typography } from '@mui/material';
import { TextInput, useGetIdentity, useRecordContext } from 'react-admin';
import { Link } from 'react-router-dom';
import type { Dto, Query } from '../client/api';
import { ActionButton } from '../shared/action-button';
import { Col, ConsoleList } from '../shared/console-list';
import { CustomerLink, Nok, Plain, State, Time } from '../shared/fields';
import { ofCustomer, oneOf } from '../shared/filters';
import { formatNok, useFormats, visibleText } from '../shared/formats';
import { useOverview } from '../shared/of-customer';

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
      <Col source="amount_nok" label="NOK" align="right">
        <Nok source="amount_nok" />
      </Col>
      <Col source="status" label="Status" disableSort>
        <State source="status" />
      </Col>
      <Col label="Decision" disableSort>
        <Decide />
        <Decision />
      </Col>
      <Col source="reference" label="Reference" disableSort>
        <Plain source="reference" />
      </Col>
      <Col source="note" label="Note" disableSort>
        <Plain source="note" />
      </Col>
      <Col source="created_at" label="Requested">
        <Time source="created_at" />
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
      : undefined;
  if (request === undefined || text === undefined) return null;
  return (
    <>
      <bdi>{visibleText(text)}</bdi>
      {request.invoice_id && (
        <>
          , <InvoiceLink request={request} />
        </>
      )}
    </>
  );
}

function Decide() {
  const request = useRecordContext<CreditRequest>();
  const [formats] = useFormats();
  const { identity } = useGetIdentity();
  if (request?.status !== 'pending') return null;
  const decider = (reply: object) => otherDecider(reply as CreditRequest, identity?.fullName);
  const who = <bdi>{visibleText(request.customer_name)}</bdi>;
  const amount = `${formatNok(request.amount_nok, formats)} NOK`;
  return (
    <Stack direction="row" spacing={1}>
      <ActionButton
        label="Approve"
        path={`credit-requests/${request.id}/approve`}
        needs="billing"
        color="success"
        title={`Approve request ${request.id}`}
        done={(reply) => <Approved request={reply as CreditRequest} before={decider(reply)} />}
        isUnexpected={(reply) => decider(reply) !== null}
        question={
          <>
            {who}: the credit is added at once, and {amount} are due from then on. The service writes no document: write
            and send the invoice in your billing system, and give its number here.
            <Typography variant="body2" sx={{ mt: 1 }}>
              Its reference: <bdi>{visibleText(request.reference ?? '–')}</bdi>
              <br />
              Its note: <bdi>{visibleText(request.note ?? '–')}</bdi>
            </Typography>
            <CustomerMoney customerId={request.customer_id} />
          </>
        }
      >
        <TextInput
          source="invoice_number"
          label="Number printed on the invoice"
          helperText={
            request.first_invoice_number === null
              ? `AI-${request.id} if empty: then print this one on it`
              : `${visibleText(request.first_invoice_number)}, as ${visibleText(request.first_approved_by ?? '')} has named it, if empty`
          }
        />
      </ActionButton>
      <ActionButton
        label="Reject"
        path={`credit-requests/${request.id}/reject`}
        needs="billing"
        color="error"
        title={`Reject request ${request.id}`}
        done={(reply) => <Rejected request={reply as CreditRequest} before={decider(reply)} />}
        isUnexpected={(reply) => decider(reply) !== null}
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

/** Who else had taken the decision before, if anybody: the audit log names people so. */
function otherDecider({ decided_by: by }: CreditRequest, own: string | undefined): string | null {
  return own !== undefined && by?.toLowerCase() === `operator:${own}`.toLowerCase() ? null : by;
}

interface DecidedProps {
  request: CreditRequest;
  /** Who else had decided about it before. */
  before: string | null;
}

/** What a first or the only approval has led to, and what is left to do. */
function Approved({ request, before }: DecidedProps) {
  if (request.status === 'pending') return <>Request {request.id} waits for the approval of a second person</>;
  if (before !== null)
    return (
      <>
        <bdi>{visibleText(before)}</bdi> had approved request {request.id}, with the <InvoiceLink request={request} />:
        write no second invoice.
      </>
    );
  return (
    <>
      Request {request.id} is approved. Write and send its <InvoiceLink request={request} />.
    </>
  );
}

/** The customer reads the reason of the first rejection, which may be an earlier one of the same person. */
function Rejected({ request, before }: DecidedProps) {
  const reason = visibleText(request.reason ?? '–');
  if (before === null)
    return (
      <bdi>
        Request {request.id} is rejected. The customer reads: {reason}
      </bdi>
    );
  return (
    <bdi>
      {visibleText(before)} had rejected request {request.id}, and your reason is not kept. The customer reads: {reason}
    </bdi>
  );
}

/** By the number that is to be printed on it. */
function InvoiceLink({ request: { invoice_id: id, invoice_number: number } }: { request: CreditRequest }) {
  const text = (
    <>
      invoice <bdi>{visibleText(number ?? '')}</bdi>
    </>
  );
  if (id === null) return text;
  return (
    <MuiLink component={Link} to={`/invoices/${id}/show`} color="inherit" onClick={(event) => event.stopPropagation()}>
      {text}
    </MuiLink>
  );
}

/** What the customer has spent and owes: the basis of a decision. */
function CustomerMoney({ customerId }: { customerId: string }) {
  const [formats] = useFormats();
  const { data } = useOverview(customerId);
  if (data === undefined) return null;
  return (
    <Typography variant="body2" sx={{ mt: 1 }}>
      Used this month: {formatNok(data.ai?.month_usage_nok ?? 0, formats)} NOK. Purchased credit left:{' '}
      {formatNok(data.ai?.purchased_nok ?? 0, formats)} NOK. Owed: {formatNok(data.owed_nok, formats)} NOK, of which{' '}
      {formatNok(data.overdue_nok, formats)} NOK is overdue.
    </Typography>
  );
}
