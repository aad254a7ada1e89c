import { Alert, Button, Card, CardContent, Link as MuiLink, Stack, TextField, Typography } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { NumberInput, TextInput, Title } from 'react-admin';
import { Link, useNavigate, useParams } from 'react-router-dom';
import { call, type Dto, type Query } from '../client/api';
import { AI_FAULTS } from '../shared/ai-faults';
import { Col, ConsoleList } from '../shared/console-list';
import { Code, CustomerLink, isCustomer, Plain, Time } from '../shared/fields';
import { formatTime, useFormats, visibleText } from '../shared/formats';
import { ofCustomer, since } from '../shared/filters';
import { useOverview } from '../shared/of-customer';

/** Requests that were answered with 400 or more: why was it refused? */
export function RefusedRequestList({ fixed, embedded }: { fixed?: Query; embedded?: boolean }) {
  return (
    <>
      {!embedded && <FindRequest />}
      <ConsoleList
        resource="requests"
        title="Refused requests"
        fixed={fixed}
        embedded={embedded}
        csv
        rowClick={(_id, _resource, request) => `/requests/${encodeURIComponent(String(request.request_id))}/show`}
        filters={[
          <TextInput key="code" source="code" label="Code, such as rate_limited" alwaysOn />,
          <NumberInput key="status" source="status" label="Status" alwaysOn />,
          <TextInput key="fingerprint" source="fingerprint" label="Fingerprint of the token" />,
          <TextInput key="network" source="network" label="Network" />,
          since,
          ...(embedded ? [] : [ofCustomer]),
        ]}
      >
        <Col source="created_at" label="When" disableSort>
          <Time source="created_at" />
        </Col>
        {!embedded && (
          <Col source="customer_name" label="Customer" disableSort>
            <CustomerLink />
          </Col>
        )}
        <Col source="status" label="Status" disableSort />
        <Col source="code" label="Code" disableSort>
          <Plain source="code" />
        </Col>
        <Col source="route" label="Route" disableSort>
          <Plain source="route" />
        </Col>
        <Col source="detail" label="Text of the reply" disableSort>
          <Plain source="detail" />
        </Col>
        <Col source="request_id" label="Request id" disableSort>
          <Code source="request_id" />
        </Col>
      </ConsoleList>
    </>
  );
}

/** A customer tells the id that its error reply had. */
function FindRequest({ last = '' }: { last?: string }) {
  const [id, setId] = useState(last);
  const navigate = useNavigate();
  return (
    <Card variant="outlined" sx={{ mt: 1 }}>
      <CardContent
        component="form"
        onSubmit={(event: React.FormEvent) => {
          event.preventDefault();
          if (id.trim() !== '') navigate(`/requests/${encodeURIComponent(id.trim())}/show`);
        }}
        sx={{ '&:last-child': { pb: 2 } }}
      >
        <Stack direction="row" spacing={1}>
          <TextField
            label="Request id (request_id of the error, X-Request-Id)"
            value={id}
            onChange={(event) => setId(event.target.value)}
            fullWidth
          />
          <Button type="submit" variant="contained">
            Find
          </Button>
        </Stack>
      </CardContent>
    </Card>
  );
}

/** What became of one request: refused or answered, and what it cost. */
export function RequestPage() {
  const { id = '' } = useParams();
  const [formats] = useFormats();
  const { data, error } = useQuery({
    queryKey: ['request-outcome', id],
    queryFn: () => call<Dto<'RequestOutcomeListDto'>>('GET', 'requests/outcome', { query: { request_id: id } }),
  });
  return (
    <Stack spacing={1} sx={{ mt: 1, maxWidth: 900 }}>
      <Title title={`Request ${id}`} />
      <FindRequest key={id} last={id} />
      {error && <Alert severity="warning">{error.message}</Alert>}
      {data?.data.length === 0 && <Alert severity="info">Nothing is known of a request with this id.</Alert>}
      {data?.data.map((outcome) => (
        <Card key={`${outcome.created_at} ${outcome.outcome}`} variant="outlined">
          <CardContent>
            <Typography component="h2" variant="subtitle1" sx={{ fontWeight: 600 }}>
              {outcome.outcome.replaceAll('_', ' ')}, {formatTime(outcome.created_at, formats)}
            </Typography>
            <table>
              <tbody>
                {isCustomer(outcome.customer_id) && (
                  <Fact label="Customer">
                    <MuiLink component={Link} to={`/customers/${outcome.customer_id}/show`}>
                      {visibleText(outcome.customer_name ?? outcome.customer_id)}
                    </MuiLink>
                  </Fact>
                )}
                {outcome.token_id && (
                  <Fact label="Token">
                    <TokenLink outcome={outcome} />
                  </Fact>
                )}
                {FACTS.map(
                  ([name, label]) =>
                    outcome[name] !== null && (
                      <Fact key={name} label={label}>
                        {visibleText(String(outcome[name]))}
                      </Fact>
                    ),
                )}
              </tbody>
            </table>
            <Advice outcome={outcome} />
          </CardContent>
        </Card>
      ))}
    </Stack>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <tr>
      <th scope="row" style={{ textAlign: 'left', paddingRight: 16, whiteSpace: 'nowrap' }}>
        {label}
      </th>
      <td>
        <bdi>{children}</bdi>
      </td>
    </tr>
  );
}

/** What the operator can do about a refusal: the text of the reply is for the customer. */
const REMEDIES: Record<string, [text: string, tab: string, name: string]> = {
  ai_disabled: ['AI is not enabled for this customer.', 'ai', 'AI settings'],
  credit_exhausted: ['Its credit, or the limit of its usage, does not cover the message.', 'ai', 'credit and limits'],
  insufficient_scope: ['A token with this scope has to be issued.', 'tokens', 'tokens'],
  sms_disabled: ['SMS is not enabled: see its SMS settings.', '', 'customer'],
  rate_limited: [
    'It was over a limit, which the text names. Those of requests a minute can be set: see its limits.',
    '',
    'customer',
  ],
  too_many_pending_requests: [
    'As many of its credit requests wait for a decision as may.',
    'credit-requests',
    'credit requests',
  ],
  webhook_endpoint_disabled: ['The endpoint is disabled.', 'webhooks', 'webhooks'],
};

function Advice({ outcome: { customer_id: customerId, code } }: { outcome: Dto<'RequestOutcomeDto'> }) {
  if (!isCustomer(customerId) || code === null) return null;
  if (code === 'ai_not_configured') return <AiAdvice customerId={customerId} />;
  const remedy = REMEDIES[code];
  if (remedy === undefined) return null;
  const [text, tab, name] = remedy;
  return (
    <ForOperator>
      {text} <TabLink customerId={customerId} tab={tab} name={name} />
    </ForOperator>
  );
}

/** Which of the AI settings is missing: as they are now, since a refusal keeps none. */
function AiAdvice({ customerId }: { customerId: string }) {
  const { data } = useOverview(customerId);
  if (!data?.ai) return null;
  const { fault, model } = data.ai;
  return (
    <ForOperator>
      {fault === null
        ? `Model and key are there now: ${model ?? ''} answers.`
        : `Messages are refused, since ${AI_FAULTS[fault]}.`}{' '}
      <TabLink customerId={customerId} tab="ai" name="AI settings" />
    </ForOperator>
  );
}

function ForOperator({ children }: { children: ReactNode }) {
  return (
    <Alert severity="info" sx={{ mt: 1 }}>
      For you: {children}
    </Alert>
  );
}

function TabLink({ customerId, tab, name }: { customerId: string; tab: string; name: string }) {
  return (
    <MuiLink component={Link} to={`/customers/${customerId}/show/${tab}`}>
      To its {name}
    </MuiLink>
  );
}

/** A token by its purpose and fingerprint; it leads to the tokens of its customer. */
function TokenLink({ outcome }: { outcome: Dto<'RequestOutcomeDto'> }) {
  const { customer_id: customerId, token_id: id, token_name: name, token_fingerprint: fingerprint } = outcome;
  const text = fingerprint === null ? id : `${visibleText(name ?? 'without a name')} (${fingerprint})`;
  if (!isCustomer(customerId)) return text;
  return (
    <MuiLink component={Link} to={`/customers/${customerId}/show/tokens`}>
      {text}
    </MuiLink>
  );
}

const FACTS = [
  ['status', 'Status'],
  ['code', 'Code'],
  ['detail', 'Text of the reply'],
  ['method', 'Method'],
  ['route', 'Route'],
  ['upstream', 'Refusal of the provider'],
  ['model', 'Model'],
  ['charged_nok', 'Charged, NOK'],
  ['provider_request_id', "The provider's id"],
] as const satisfies [keyof Dto<'RequestOutcomeDto'>, string][];
