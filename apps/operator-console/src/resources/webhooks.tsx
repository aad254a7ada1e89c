import { Alert, Chip, Stack, Typography } from '@mui/material';
import { BooleanInput, CheckboxGroupInput, SimpleShowLayout, TextInput, useRecordContext } from 'react-admin';
import type { FieldValues } from 'react-hook-form';
import { useNavigate } from 'react-router-dom';
import type { Dto, Query } from '../client/api';
import { ActionButton } from '../shared/action-button';
import { Col, ConsoleList } from '../shared/console-list';
import { ConsoleShow } from '../shared/console-show';
import { TimeInput } from '../shared/date-inputs';
import { Code, CustomerLink, isCustomer, Plain, State, Time } from '../shared/fields';
import { customerInput, ofCustomer, oneOf } from '../shared/filters';
import { formatTime, useFormats, visibleText } from '../shared/formats';
import { OnceShown } from '../shared/once-shown';
import { RECORD_SCOPES, ScopesInput } from '../shared/scopes-input';

type Endpoint = Dto<'WebhookEndpointDto'>;
type EventType = NonNullable<Endpoint['event_types']>[number];

/** The types of events, which the compiler compares with those of the operator API; true: only the operator's endpoints get them. */
const EVENT_TYPES = {
  'credit_request.approved': false,
  'credit_request.rejected': false,
  'ai.credit.low': false,
  'ai.credit.exhausted': false,
  'ai.credit.renewed': false,
  'invoice.created': false,
  'invoice.updated': false,
  'ticket.replied': false,
  'ticket.status_changed': false,
  'sms.delivered': false,
  'sms.failed': false,
  'sms.unknown': false,
  'service.status_changed': false,
  'token.expiring': false,
  'webhook.endpoint_disabled': false,
  'credit_request.created': true,
  'ticket.created': true,
  'invoice.sync_failed': true,
  'ai.upstream_down': true,
} satisfies Record<EventType, boolean>;

const SECRET_HINT = 'Its receiver needs it to check signatures. Lost: give the endpoint a new secret.';

const typeChoices = (isCustomers: boolean) =>
  Object.entries(EVENT_TYPES).flatMap(([id, isOperators]) => (isCustomers && isOperators ? [] : [{ id, name: id }]));

/** Endpoints that events are sent to, and what was sent: those of a customer, or of all and the operator's own. */
export function WebhookEndpointList({ fixed, embedded }: { fixed?: Query; embedded?: boolean }) {
  const customerId = fixed?.customer_id === undefined ? undefined : String(fixed.customer_id);
  return (
    <>
      <Typography component="h2" variant="subtitle1" sx={{ mt: 1, fontWeight: 600 }}>
        Addresses that events are sent to
      </Typography>
      <ConsoleList
        resource="webhook-endpoints"
        title="Webhooks"
        fixed={fixed}
        embedded={embedded}
        filters={
          embedded ? [] : [<BooleanInput key="own" source="own" label="Only the operator's own" alwaysOn />, ofCustomer]
        }
        actions={
          <>
            <AddEndpoint customerId={customerId} />
            {!embedded && <AddOwnEndpoint />}
          </>
        }
      >
        <Col source="url" label="Address" disableSort>
          <Plain source="url" />
        </Col>
        {!embedded && (
          <Col source="customer_name" label="Customer" disableSort>
            <CustomerLink none="the operator's own" />
          </Col>
        )}
        <Col source="description" label="Description" disableSort>
          <Plain source="description" />
        </Col>
        <Col source="event_types" label="Types" disableSort>
          <Types />
        </Col>
        <Col source="disabled_reason" label="State" disableSort>
          <EndpointState />
        </Col>
        <Col source="created_at" label="Added" disableSort>
          <Time source="created_at" />
        </Col>
      </ConsoleList>
      <Typography component="h2" variant="subtitle1" sx={{ mt: 1, fontWeight: 600 }}>
        Deliveries
      </Typography>
      <DeliveryList fixed={fixed} showsCustomer={!embedded} />
    </>
  );
}

/** Adds an endpoint of a customer, who is chosen unless the page is the customer's. */
function AddEndpoint({ customerId }: { customerId?: string }) {
  return (
    <ActionButton
      label="Add an endpoint"
      title={customerId === undefined ? 'Add an endpoint of a customer' : undefined}
      path="webhook-endpoints"
      needs="admin"
      question="It gets the events of this customer, whose programs read them."
      bodyOf={({ customer_id: chosen, scopes, ...values }) => ({
        ...endpointOf(values),
        customer_id: customerId ?? (chosen as string),
        scopes: scopes as string[],
      })}
      initial={{ scopes: RECORD_SCOPES }}
      result={(reply) => <OnceShown kind="secret" text={reply.secret} hint={SECRET_HINT} />}
    >
      {customerId === undefined && customerInput(true)}
      <TextInput source="url" label="Address" required />
      <TextInput source="description" label="Description" />
      <CheckboxGroupInput source="event_types" label="Types of events (all if none)" choices={typeChoices(true)} />
      <ScopesInput
        label="Records that it gets"
        helperText="Of events about other records it gets their ids alone."
        of={RECORD_SCOPES}
      />
    </ActionButton>
  );
}

function AddOwnEndpoint() {
  return (
    <ActionButton
      label="Add your own"
      title="Add an endpoint of your own"
      path="webhook-endpoints"
      needs="admin"
      question="It gets the events of all customers, for programs of yours."
      bodyOf={endpointOf}
      result={(reply) => <OnceShown kind="secret" text={reply.secret} hint={SECRET_HINT} />}
    >
      <TextInput source="url" label="Address" required />
      <TextInput source="description" label="Description" />
      <CheckboxGroupInput source="event_types" label="Types of events (all if none)" choices={typeChoices(false)} />
    </ActionButton>
  );
}

const endpointOf = ({ url, description, event_types: types }: FieldValues) => ({
  url: url as string,
  ...(description ? { description: description as string } : {}),
  ...(types?.length > 0 ? { event_types: types as string[] } : {}),
});

function Types(_props: { label?: string }) {
  const endpoint = useRecordContext<Endpoint>();
  return <span style={{ display: 'inline-block', minWidth: 180 }}>{endpoint?.event_types?.join(', ') ?? 'all'}</span>;
}

/** Why it gets nothing, or that it gets everything. */
function EndpointState(_props: { label?: string }) {
  const endpoint = useRecordContext<Endpoint>();
  const [formats] = useFormats();
  if (endpoint === undefined) return null;
  const { disabled_reason: reason, failing_since: failing, queue_full: isFull } = endpoint;
  if (reason !== null) return <Chip size="small" variant="outlined" color="error" label={`disabled: ${reason}`} />;
  if (failing !== null)
    return (
      <Chip size="small" variant="outlined" color="warning" label={`fails since ${formatTime(failing, formats)}`} />
    );
  if (isFull) return <Chip size="small" variant="outlined" color="warning" label="too much waits" />;
  return <Chip size="small" variant="outlined" color="success" label="enabled" />;
}

/** What was sent, or waits to be. */
function DeliveryList({ fixed, showsCustomer }: { fixed?: Query; showsCustomer?: boolean }) {
  return (
    <ConsoleList
      resource="webhook-deliveries"
      fixed={fixed}
      embedded
      rowClick={false}
      csv
      filters={[oneOf('state', ['pending', 'delivered', 'failed', 'missed'])]}
    >
      <Col source="created_at" label="When" disableSort>
        <Time source="created_at" />
      </Col>
      {showsCustomer && (
        <Col source="customer_name" label="Customer" disableSort>
          <CustomerLink none="the operator's own" />
        </Col>
      )}
      <Col source="event_type" label="Type" disableSort>
        <Plain source="event_type" />
      </Col>
      <Col source="state" label="State" disableSort>
        <State source="state" />
      </Col>
      <Col source="attempts" label="Attempts" align="right" disableSort />
      <Col source="last_status" label="Answer" align="right" disableSort>
        <Plain source="last_status" />
      </Col>
      <Col source="last_error" label="Error" disableSort>
        <Plain source="last_error" />
      </Col>
      <Col source="next_attempt_at" label="Next attempt" disableSort>
        <Time source="next_attempt_at" />
      </Col>
      {!showsCustomer && (
        <Col source="event_id" label="Event" disableSort>
          <Code source="event_id" />
        </Col>
      )}
      <Col label="Change" disableSort>
        <Redeliver />
      </Col>
    </ConsoleList>
  );
}

function Redeliver() {
  const delivery = useRecordContext<Dto<'WebhookDeliveryDto'>>();
  if (delivery === undefined || delivery.state === 'pending') return null;
  return (
    <ActionButton
      label="Send again"
      title="Send the delivery again"
      path={`webhook-deliveries/${delivery.id}/redeliver`}
      needs="support"
      done="It is sent again"
      question={`${delivery.event_type} of ${delivery.created_at}, with the same id: a receiver that has it ignores it.`}
    />
  );
}

/** One endpoint: how it does, what can be done with it, its deliveries. */
export function WebhookEndpointPage() {
  return (
    <ConsoleShow title="Webhook endpoint">
      <EndpointActions />
      <SimpleShowLayout>
        <Plain source="url" label="Address" />
        <CustomerLink label="Customer" none="the operator's own: it gets the events of all customers" />
        <Plain source="description" label="Description" />
        <EndpointState label="State" />
        <Types label="Types" />
        <Scopes label="Scopes" />
        <Time source="updated_at" label="Changed" />
        <Code source="id" label="Id" />
      </SimpleShowLayout>
      <EndpointDeliveries />
    </ConsoleShow>
  );
}

function Scopes(_props: { label: string }) {
  const endpoint = useRecordContext<Endpoint>();
  return <span>{endpoint?.scopes?.join(' ') ?? 'all'}</span>;
}

function EndpointDeliveries() {
  const endpoint = useRecordContext<Endpoint>();
  if (endpoint === undefined) return null;
  return <DeliveryList fixed={{ customer_id: endpoint.customer_id, endpoint_id: endpoint.id }} />;
}

function EndpointActions() {
  const endpoint = useRecordContext<Endpoint>();
  const navigate = useNavigate();
  if (endpoint === undefined) return null;
  const path = `webhook-endpoints/${endpoint.id}`;
  const which = <bdi>{visibleText(endpoint.url)}</bdi>;
  const isEnabled = endpoint.disabled_at === null;
  return (
    <Stack direction="row" spacing={1} useFlexGap sx={{ p: 1.5, flexWrap: 'wrap' }}>
      <ActionButton
        label="Change"
        title="Change the endpoint"
        path={path}
        method="PATCH"
        needs="admin"
        done="The endpoint is changed"
        question={which}
        initial={{
          url: endpoint.url,
          description: endpoint.description ?? '',
          event_types: endpoint.event_types ?? [],
        }}
        bodyOf={({ url, description, event_types: types }) => ({
          url,
          description: description ?? '',
          event_types: types ?? [],
        })}
      >
        <TextInput source="url" label="Address" required />
        <TextInput source="description" label="Description" />
        <CheckboxGroupInput
          source="event_types"
          label="Types of events (all if none)"
          choices={typeChoices(isCustomer(endpoint.customer_id))}
        />
      </ActionButton>
      {!isEnabled && (
        <ActionButton
          label="Enable"
          title="Enable the endpoint"
          path={path}
          method="PATCH"
          needs="admin"
          done="The endpoint is enabled"
          question={'It gets events from now on. Those that it missed are sent by "Send what failed".'}
          bodyOf={() => ({ enabled: true })}
        />
      )}
      {/* Also one that its customer or its failures have disabled: its customer could enable it. */}
      {endpoint.disabled_reason !== 'operator' && (
        <ActionButton
          label="Disable"
          title="Disable the endpoint"
          path={path}
          method="PATCH"
          needs="admin"
          color="error"
          done="The endpoint is disabled"
          question="It gets nothing from now on, and its customer cannot enable it. What it misses can be sent later."
          bodyOf={() => ({ enabled: false })}
        />
      )}
      <ActionButton
        label="New secret"
        title="New secret of the endpoint"
        path={`${path}/rotate-secret`}
        needs="admin"
        question={<>{which} gets a new secret. The former one remains valid for 24 hours.</>}
        result={(reply) => <OnceShown kind="secret" text={reply.secret} hint={SECRET_HINT} />}
      />
      <ActionButton
        label="Test"
        title="Test the endpoint"
        path={`${path}/test`}
        needs="support"
        disabled={!isEnabled}
        done="A test event waits; see below"
        question={<>A test event is sent to {which}.</>}
      />
      <ActionButton
        label="Send what failed"
        path={`${path}/redeliver`}
        needs="support"
        disabled={!isEnabled}
        question="All its deliveries that have failed or were missed since then are sent again, also those that would be tried again later: the oldest 10,000 at most."
        bodyOf={({ since }) => ({ since: new Date(since as string).toISOString() })}
        result={(reply) => (
          <Alert severity={reply.more ? 'warning' : 'success'}>
            {String(reply.queued)} deliveries wait to be sent.
            {reply.more ? ' Others are left: do it again when these were sent.' : ''}
          </Alert>
        )}
      >
        <TimeInput source="since" label="Since" required />
      </ActionButton>
      <ActionButton
        label="Delete"
        title="Delete the endpoint"
        path={path}
        method="DELETE"
        needs="admin"
        color="error"
        done="The endpoint is deleted"
        onDone={() => navigate('/webhook-endpoints')}
        question={<>{which}: what waits for it is not sent.</>}
      />
    </Stack>
  );
}
