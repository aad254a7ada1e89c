import { Alert, Box, Button, Card, CardContent, Chip, Stack, TextField, Typography } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import {
  BooleanInput,
  SelectInput,
  type SelectInputProps,
  TextInput,
  useGetIdentity,
  useNotify,
  usePermissions,
  useRecordContext,
  useRefresh,
} from 'react-admin';
import { ApiError, call, type Dto, type Query } from '../client/api';
import { assertSamePerson, may, type Role, useSession } from '../session';
import { ActionButton, DONE_BEFORE } from '../shared/action-button';
import { Col, ConsoleList } from '../shared/console-list';
import { ConsoleShow } from '../shared/console-show';
import { CustomerLink, Plain, State, Time } from '../shared/fields';
import { ofCustomer, oneOf, search } from '../shared/filters';
import { formatTime, useFormats, visibleText } from '../shared/formats';

const STATUSES = ['open', 'pending', 'resolved', 'closed'] as const;
const PRIORITIES = ['low', 'normal', 'high', 'urgent'] as const;

type Reply = Dto<'TicketReplyDto'>;
type Ticket = Dto<'TicketThreadDto'>;

/** The customer's first text, as the first of the thread. */
const OPENING = { author: 'customer', internal: false, written_by: null } as const;

export function TicketList({ fixed, embedded }: { fixed?: Query; embedded?: boolean }) {
  return (
    <ConsoleList
      resource="tickets"
      title="Tickets"
      // The menu's list is what there is to do; a customer's tickets are a history.
      sort={embedded ? undefined : { field: 'urgency', order: 'DESC' }}
      fixed={fixed}
      embedded={embedded}
      csv
      filters={[
        search('title, body or reply'),
        oneOf('status', STATUSES),
        oneOf('priority', PRIORITIES),
        <BooleanInput key="unanswered" source="unanswered" label="Customer waits for an answer" />,
        <AssigneeInput key="assigned" source="assigned" emptyText="all" alwaysOn />,
        <BooleanInput key="unassigned" source="unassigned" label="Assigned to nobody" alwaysOn />,
        ...(embedded ? [] : [ofCustomer]),
      ]}
    >
      <Col source="title" label="Title" disableSort>
        <Plain source="title" />
      </Col>
      {!embedded && (
        <Col source="customer_name" label="Customer" disableSort>
          <CustomerLink />
        </Col>
      )}
      <Col source="status" label="Status" disableSort>
        <Stack direction="row" spacing={0.5} useFlexGap sx={{ flexWrap: 'wrap' }}>
          <State source="status" />
          <Waits />
        </Stack>
      </Col>
      <Col source="priority" label="Priority" disableSort>
        <State source="priority" />
      </Col>
      <Col source="assignee" label="Assigned to" disableSort>
        <Plain source="assignee" />
      </Col>
      <Col source="created_at" label="Opened" disableSort>
        <Time source="created_at" />
      </Col>
    </ConsoleList>
  );
}

/** One of the people who may answer tickets; oneself is the first. */
function AssigneeInput(props: SelectInputProps & { alwaysOn?: boolean }) {
  const { identity } = useGetIdentity();
  const { data, isPending } = useQuery({
    queryKey: ['assignees'],
    queryFn: ({ signal }) => call<Dto<'AssigneeListDto'>>('GET', 'tickets/assignees', { signal }),
  });
  const own = identity?.fullName;
  const names = data?.data ?? [];
  const choices = [
    ...names.filter((name) => name === own).map((id) => ({ id, name: `me (${id})` })),
    ...names.filter((name) => name !== own).map((id) => ({ id, name: id })),
  ];
  return <SelectInput label="Assigned to" isPending={isPending} choices={choices} {...props} />;
}

function Waits() {
  const ticket = useRecordContext<{ id: string; unanswered?: boolean }>();
  return ticket?.unanswered ? <Chip size="small" color="warning" label="customer waits" /> : null;
}

/** One ticket: its thread with the internal notes, and what can be done with it. */
export function TicketPage() {
  return (
    <ConsoleShow title={<TicketTitle />}>
      <Thread />
    </ConsoleShow>
  );
}

/** What the customer has opened it for. */
function Subject({ ticket }: { ticket: Pick<Ticket, 'service_id' | 'resource_type' | 'resource_id'> }) {
  const resource = [ticket.resource_type, ticket.resource_id].filter((part) => part !== null).join(' ');
  const service = ticket.service_id === null ? '' : `service no. ${ticket.service_id}`;
  const subjects = [service, visibleText(resource)].filter((part) => part !== '');
  return subjects.length > 0 ? <Typography variant="body2">About {subjects.join(', ')}</Typography> : null;
}

function TicketTitle() {
  const ticket = useRecordContext<Ticket>();
  return <bdi>{ticket ? visibleText(ticket.title) : 'Ticket'}</bdi>;
}

function Thread() {
  // A ticket of the list, which is shown until its thread is there, has no replies.
  const ticket = useRecordContext<Partial<Pick<Ticket, 'replies'>> & Omit<Ticket, 'replies'>>();
  const { permissions } = usePermissions<Role>();
  const { identity } = useGetIdentity();
  if (ticket === undefined) return null;
  const path = `tickets/${ticket.id}`;
  const isMine = ticket.assignee !== null && ticket.assignee === identity?.fullName;
  return (
    <Stack spacing={1.5} useFlexGap sx={{ p: 2, maxWidth: 900 }}>
      <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap', alignItems: 'center' }}>
        <CustomerLink />
        <State source="status" />
        <State source="priority" />
        <Typography variant="body2">Assigned to {ticket.assignee ?? 'nobody'}</Typography>
        <Subject ticket={ticket} />
      </Stack>
      <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap' }}>
        <ActionButton
          label="Add a note"
          title="Add a note to the ticket"
          path={`${path}/note`}
          needs="support"
          done="The note is stored"
          question="Customers never see notes."
        >
          <TextInput source="body" label="Note" multiline minRows={3} required />
        </ActionButton>
        <ActionButton
          label="Assign to me"
          path={`${path}/assign`}
          needs="support"
          done="The ticket is yours"
          disabled={isMine}
          question={ticket.assignee ? `It is assigned to ${ticket.assignee} now.` : undefined}
          bodyOf={() => ({ replaces: ticket.assignee })}
        />
        <ActionButton
          label="Assign"
          title="Assign the ticket"
          path={`${path}/assign`}
          needs="support"
          done="The ticket is assigned"
          question="To one of your colleagues."
          bodyOf={({ to }) => ({ to, replaces: ticket.assignee })}
        >
          <AssigneeInput source="to" required />
        </ActionButton>
        <ActionButton
          label="Unassign"
          path={`${path}/assign`}
          needs="support"
          done="The ticket is assigned to nobody"
          disabled={!ticket.assignee}
          bodyOf={() => ({ to: null, replaces: ticket.assignee })}
        />
        <ActionButton
          label="Set status"
          title="Set the status of the ticket"
          path={`${path}/set-status`}
          needs="support"
          done="The status is set"
          initial={{ status: ticket.status }}
          question="The customer sees it."
          bodyOf={({ status }) => ({ status, seen: ticket.updated_at })}
        >
          <SelectInput
            source="status"
            label="Status"
            choices={STATUSES.map((id) => ({ id, name: id }))}
            emptyText={false}
            required
          />
        </ActionButton>
        {ticket.status === 'closed' ? (
          <ActionButton
            label="Reopen the ticket"
            path={`${path}/set-status`}
            needs="support"
            done="The ticket is open again"
            bodyOf={() => ({ status: 'open', seen: ticket.updated_at })}
          />
        ) : (
          <ActionButton
            label="Close the ticket"
            path={`${path}/set-status`}
            needs="support"
            done="The ticket is closed: it takes no more replies of the customer"
            bodyOf={() => ({ status: 'closed', seen: ticket.updated_at })}
          />
        )}
      </Stack>
      <Entry reply={{ ...OPENING, id: ticket.id, body: ticket.body, created_at: ticket.created_at }} />
      {ticket.replies?.map((reply) => (
        <Entry key={reply.id} reply={reply} />
      ))}
      {may(permissions, 'support') && <ReplyForm key={ticket.id} path={`${path}/reply`} seen={ticket.updated_at} />}
    </Stack>
  );
}

/** The answer to the customer, below what was written before. @param seen the time of the last change that is shown */
function ReplyForm({ path, seen }: { path: string; seen: string }) {
  const [body, setBody] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const notify = useNotify();
  const refresh = useRefresh();
  const { data: session } = useSession();
  const writer = useRef(session);

  async function send(event: React.FormEvent) {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    try {
      await assertSamePerson(writer.current);
      let isReplayed = false;
      await call('POST', path, { body: { body }, seen, onReplay: () => (isReplayed = true) });
      setBody('');
      notify(isReplayed ? DONE_BEFORE : 'The reply is sent', { type: isReplayed ? 'warning' : 'success' });
      refresh();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      // What came meanwhile is shown above the text, which stays.
      if (error instanceof ApiError && error.problem.code === 'invalid_request') refresh();
    } finally {
      setBusy(false);
    }
  }

  return (
    <Stack component="form" spacing={1} onSubmit={send}>
      <TextField
        label="Reply"
        helperText="The customer reads it."
        multiline
        minRows={3}
        fullWidth
        value={body}
        // What would be typed while it is sent would go with what was sent.
        slotProps={{ htmlInput: { readOnly: isBusy } }}
        onChange={(event) => {
          if (body === '') writer.current = session;
          setBody(event.target.value);
        }}
      />
      {problem && <Alert severity="error">{problem}</Alert>}
      <Box>
        <Button type="submit" variant="contained" disabled={isBusy || body.trim() === ''}>
          Send the reply
        </Button>
      </Box>
    </Stack>
  );
}

/** Whose text it is: the customer reads no person's name. The audit log may be too short to have one of an old reply. */
function writerOf({ internal, author, written_by: person }: Reply): string {
  const name = person === null ? undefined : visibleText(person);
  if (internal) return name === undefined ? 'Note' : `Note by ${name}`;
  if (author === 'operator') return name === undefined ? 'Operator' : `Operator (${name})`;
  return name === undefined ? 'Customer' : `Customer (written down by ${name})`;
}

function Entry({ reply }: { reply: Reply }) {
  const [formats] = useFormats();
  return (
    <Card
      variant="outlined"
      sx={{ ml: reply.author === 'operator' ? 4 : 0, bgcolor: reply.internal ? 'action.hover' : undefined }}
    >
      <CardContent sx={{ '&:last-child': { pb: 1.5 }, pt: 1 }}>
        <Typography variant="caption" color="text.secondary">
          {writerOf(reply)}, {formatTime(reply.created_at, formats)}
        </Typography>
        <Typography component="div" dir="auto" sx={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {visibleText(reply.body)}
        </Typography>
      </CardContent>
    </Card>
  );
}
