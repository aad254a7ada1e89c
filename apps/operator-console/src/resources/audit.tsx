import { Link as MuiLink } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { AutocompleteInput, TextInput, useRecordContext } from 'react-admin';
import { Link } from 'react-router-dom';
import { call, type Dto, type Query } from '../client/api';
import { Col, ConsoleList } from '../shared/console-list';
import { CustomerLink, isCustomer, Time } from '../shared/fields';
import { ofCustomer, since, until } from '../shared/filters';
import { visibleText } from '../shared/formats';

/** Every change, with the person who made it. */
export function AuditList({ fixed, embedded }: { fixed?: Query; embedded?: boolean }) {
  return (
    <ConsoleList
      resource="audit"
      title="Audit"
      fixed={fixed}
      embedded={embedded}
      rowClick={false}
      csv
      filters={[
        <ActionInput key="action" source="action" alwaysOn />,
        <TextInput key="by" source="by" label="By" alwaysOn />,
        since,
        until,
        ...(embedded ? [] : [ofCustomer]),
      ]}
    >
      <Col source="created_at" label="When" disableSort>
        <Time source="created_at" />
      </Col>
      <Col source="actor" label="Who" disableSort>
        <Author />
      </Col>
      <Col source="action" label="Action" disableSort />
      {!embedded && (
        <Col source="customer_name" label="Customer" disableSort>
          <CustomerLink />
        </Col>
      )}
      <Col source="metadata" label="Details" disableSort>
        <Metadata />
      </Col>
    </ConsoleList>
  );
}

/** The actions that there are, and their groups. */
function ActionInput(props: { source: string; alwaysOn?: boolean }) {
  const { data, isPending } = useQuery({
    queryKey: ['audit-actions'],
    queryFn: ({ signal }) => call<Dto<'AuditActionListDto'>>('GET', 'audit/actions', { signal }),
  });
  const actions = data?.data ?? [];
  const groups = [...new Set(actions.map((action) => action.replace(/\..*/, '')))];
  const choices = [
    ...groups.map((group) => ({ id: group, name: `${group}: all` })),
    ...actions.filter((action) => !groups.includes(action)).map((action) => ({ id: action, name: action })),
  ];
  return (
    <AutocompleteInput
      {...props}
      label="Action"
      isPending={isPending}
      choices={choices.sort((one, other) => one.id.localeCompare(other.id))}
      sx={{ minWidth: 240 }}
    />
  );
}

type Entry = Dto<'AuditEntryDto'>;

/** A record of the entry by its name, which leads to its page. */
function Subject({ entry, kind, id }: { entry: Entry; kind: keyof typeof PAGES; id: string }) {
  const text = visibleText(entry.names[id] ?? id);
  const to = PAGES[kind](entry, id);
  return to === undefined ? (
    text
  ) : (
    <MuiLink component={Link} to={to}>
      {text}
    </MuiLink>
  );
}

const tabOf = (tab: string) => (entry: Entry) =>
  isCustomer(entry.customer_id) ? `/customers/${entry.customer_id}/show/${tab}` : undefined;

const PAGES = {
  token_id: tabOf('tokens'),
  new_token_id: tabOf('tokens'),
  service_id: tabOf('services'),
  credit_request_id: tabOf('credit-requests'),
  ticket_id: (_entry: Entry, id: string) => `/tickets/${id}/show`,
  invoice_id: (_entry: Entry, id: string) => `/invoices/${id}/show`,
  endpoint_id: ({ action }: Entry, id: string) =>
    action === 'webhook.delete' ? undefined : `/webhook-endpoints/${id}/show`,
} satisfies Record<string, (entry: Entry, id: string) => string | undefined>;

function Author() {
  const entry = useRecordContext<Entry>();
  if (entry === undefined) return null;
  const [, token] = /^token:(.*)$/.exec(entry.actor) ?? [];
  return (
    <bdi>
      {token === undefined ? (
        visibleText(entry.actor)
      ) : (
        <>
          token: <Subject entry={entry} kind="token_id" id={token} />
        </>
      )}
    </bdi>
  );
}

/** A name of the metadata in words; old entries have names such as `includedNok`. */
const wordsOf = (name: string) =>
  name
    .replace(/(?<=[a-z])(?=[A-Z])/g, '_')
    .replaceAll('_', ' ')
    .toLowerCase();

function detailOf(value: unknown): string {
  if (value === null) return 'none';
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(' ') || 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function Metadata() {
  const entry = useRecordContext<Entry>();
  if (entry === undefined) return null;
  return (
    <bdi style={{ overflowWrap: 'anywhere' }}>
      {Object.entries(entry.metadata).map(([name, value], at) => (
        <Fragment key={name}>
          {at > 0 && ', '}
          {name in PAGES ? (
            <>
              {wordsOf(name.replace(/_id$/, ''))}:{' '}
              <Subject entry={entry} kind={name as keyof typeof PAGES} id={String(value)} />
            </>
          ) : (
            `${wordsOf(name)}: ${visibleText(detailOf(value))}`
          )}
        </Fragment>
      ))}
    </bdi>
  );
}
