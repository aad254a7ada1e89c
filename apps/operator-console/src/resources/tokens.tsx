import { Alert, Button, Card, CardContent, Stack, TextField, Typography } from '@mui/material';
import { useState } from 'react';
import { TextInput, Title, useRecordContext } from 'react-admin';
import { Link } from 'react-router-dom';
import { ApiError, call, type Dto, type Query } from '../client/api';
import { ActionButton } from '../shared/action-button';
import { Col, ConsoleList } from '../shared/console-list';
import { TimeInput } from '../shared/date-inputs';
import { Code, Plain, StateChip, Time } from '../shared/fields';
import { formatTime, useFormats, visibleText } from '../shared/formats';
import { WholeNumberInput } from '../shared/number-inputs';
import { useOverview, useServices, useSmsSettings } from '../shared/of-customer';
import { OnceShown } from '../shared/once-shown';
import { type Scope, ScopesInput, scopesFor } from '../shared/scopes-input';

type Token = Dto<'TokenDto'>;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Tokens by a text with one in it, by a fingerprint, or by the id that logs and the audit have. */
async function tokensOf(value: string): Promise<Token[]> {
  if (UUID.test(value)) return [await call<Token>('GET', `tokens/${value.toLowerCase()}`)];
  const body = /^[0-9a-f]{12}$/i.test(value) ? { fingerprint: value.toLowerCase() } : { text: value };
  return (await call<Dto<'TokenPageDto'>>('POST', 'tokens/find', { body })).data;
}

/** The page of who found a token somewhere: whose is it? */
export function TokenList() {
  const [text, setText] = useState('');
  const [found, setFound] = useState<Token[]>();
  const [problem, setProblem] = useState<string>();
  const [formats] = useFormats();

  async function find(event: React.FormEvent) {
    event.preventDefault();
    setProblem(undefined);
    setFound(undefined);
    const value = text.trim();
    // The token itself leaves the page at once; a fingerprint is no secret.
    if (value.includes('cas_')) setText('');
    try {
      setFound(await tokensOf(value));
    } catch (error) {
      setProblem(error instanceof ApiError ? error.message : String(error));
    }
  }

  /** Shows what became of a token. */
  const again = (id: string) => tokensOf(id).then(setFound, (error: unknown) => setProblem(String(error)));

  return (
    <Card variant="outlined" sx={{ mt: 1 }}>
      <Title title="Find a token" />
      <CardContent>
        <Stack spacing={2} component="form" onSubmit={find}>
          <Typography variant="body2">
            Whose is it? A token that was found somewhere, or the fingerprint or the id that logs and lists show. The
            token is sent once, and neither shown nor stored.
          </Typography>
          <Stack direction="row" spacing={1}>
            <TextField
              label="Token, fingerprint or id"
              type="password"
              autoComplete="off"
              fullWidth
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
            <Button type="submit" variant="contained" disabled={text.trim() === ''}>
              Find
            </Button>
          </Stack>
          {problem && <Alert severity="warning">{problem}</Alert>}
          {found?.map((token) => (
            <Alert
              key={token.id}
              severity={token.active ? 'warning' : 'info'}
              action={token.active && <Deactivate token={token} onDone={() => void again(token.id)} />}
            >
              <Link to={`/customers/${token.customer_id}/show/tokens`}>
                <bdi>{visibleText(token.customer_name)}</bdi>
              </Link>
              : {visibleText(token.name ?? 'without a name')}, {stateOf(token)}, last used{' '}
              {formatTime(token.last_used_at, formats)}, {token.scopes.join(' ')}
            </Alert>
          ))}
        </Stack>
      </CardContent>
    </Card>
  );
}

const TOKEN_HINT = 'Hand it over by a safe way. Lost: rotate it.';

/** A customer's tokens. */
export function CustomerTokens({ fixed }: { fixed: Query }) {
  return (
    <ConsoleList
      resource="tokens"
      fixed={fixed}
      embedded
      rowClick={false}
      actions={
        <ActionButton
          label="Issue a token"
          path="tokens"
          needs="admin"
          question="It acts for this customer."
          bodyOf={({ name, scopes, expires_at: expiresAt }) => ({
            customer_id: fixed.customer_id,
            scopes: (scopes ?? []) as string[],
            ...(name ? { name } : {}),
            ...(expiresAt ? { expires_at: new Date(expiresAt).toISOString() } : {}),
          })}
          result={(reply) => <OnceShown kind="token" text={reply.token} hint={TOKEN_HINT} />}
        >
          <TextInput source="name" label="Purpose, such as ERP production" />
          <TokenScopes customerId={String(fixed.customer_id)} />
          <TimeInput source="expires_at" label="Expires (never if empty)" />
        </ActionButton>
      }
    >
      <Col source="name" label="Purpose" disableSort>
        <Plain source="name" />
      </Col>
      <Col source="fingerprint" label="Fingerprint" disableSort>
        <Code source="fingerprint" />
      </Col>
      <Col source="scopes" label="Scopes" disableSort>
        <Scopes />
      </Col>
      <Col source="active" label="State" disableSort>
        <TokenState />
      </Col>
      <Col source="expires_at" label="Expires" disableSort>
        <Time source="expires_at" />
      </Col>
      <Col source="last_used_at" label="Last used" disableSort>
        <Time source="last_used_at" />
      </Col>
      <Col label="Change" disableSort>
        <TokenActions />
      </Col>
    </ConsoleList>
  );
}

/** The scopes of a new token: at first those that the customer's services need. */
function TokenScopes({ customerId }: { customerId: string }) {
  return <ScopesInput label="Scopes" usual={{ name: 'For its services', scopes: useScopesOfServices(customerId) }} />;
}

/** What an integration needs that uses what the customer has; undefined until that is known. */
function useScopesOfServices(customerId: string): Scope[] | undefined {
  const { data: overview } = useOverview(customerId);
  const { data: sms } = useSmsSettings(customerId);
  const { data: services } = useServices(customerId);
  const types = services?.filter(({ status }) => status !== 'terminated').map(({ type }) => type);
  const has = (type: string, isEnabled: boolean | undefined) => isEnabled === true || types?.includes(type) === true;
  if (overview === undefined || sms === undefined || types === undefined) return undefined;
  return scopesFor({ ai: has('ai', overview.ai?.enabled), sms: has('sms', sms.enabled) });
}

/** A token that was rotated has expired, once its grace time is over. */
const stateOf = ({ active, expires_at: at }: Token) =>
  !active ? 'deactivated' : at !== null && new Date(at) <= new Date() ? 'expired' : 'active';

function TokenState() {
  const token = useRecordContext<Token>();
  return token === undefined ? null : <StateChip state={stateOf(token)} />;
}

function Scopes() {
  const token = useRecordContext<Token>();
  return <span>{token?.scopes.join(' ')}</span>;
}

function TokenActions() {
  const token = useRecordContext<Token>();
  if (token === undefined || !token.active) return null;
  const which = whichOf(token);
  return (
    <Stack direction="row" spacing={1} useFlexGap>
      <ActionButton
        label="Rotate"
        title="Rotate the token"
        path={`tokens/${token.id}/rotate`}
        needs="admin"
        initial={{ grace_hours: 24 }}
        question={`${which} is replaced by a new token with the same scopes.`}
        result={(reply) => <OnceShown kind="token" text={reply.token} hint={TOKEN_HINT} />}
      >
        <WholeNumberInput source="grace_hours" label="Hours for which the former one stays valid (24 if empty)" />
      </ActionButton>
      <ActionButton
        label="Rename"
        title="Rename the token"
        path={`tokens/${token.id}/rename`}
        needs="admin"
        initial={{ name: token.name }}
        done="The token has its new purpose"
        question={which}
      >
        <TextInput source="name" label="Purpose" required />
      </ActionButton>
      <Deactivate token={token} />
    </Stack>
  );
}

const whichOf = (token: Token) => `${visibleText(token.name ?? 'The token without a name')} (${token.fingerprint})`;

function Deactivate({ token, onDone }: { token: Token; onDone?: () => void }) {
  return (
    <ActionButton
      label="Deactivate"
      title="Deactivate the token"
      path={`tokens/${token.id}/deactivate`}
      needs="admin"
      color="error"
      done="The token is deactivated"
      onDone={onDone}
      question={`${whichOf(token)} of ${visibleText(token.customer_name)} is refused at once, for good. Webhook endpoints that it made stay.`}
    />
  );
}
