import { Card, CardContent, Chip, Stack, Typography } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import {
  BooleanInput,
  SelectInput,
  type SelectInputProps,
  Show,
  TextInput,
  useGetIdentity,
  useRecordContext,
} from 'react-admin';
import { call, type Dto, type Query } from '../client/api';
import { ActionButton } from '../shared/action-button';
import { Col, ConsoleList, REFRESH_MS } from '../shared/console-list';
import { CustomerLink, Plain, State, Time } from '../shared/fields';
import { ofCustomer, oneOf, search } from '../shared/filters';
import { formatTime, useFormats, visibleText } from '../shared/formats';

const STATUSES = ['open', 'pending', 'resolved', 'closed'] as const;
const PRIORITIES = ['low', 'normal', 'high', 'urgent'] as const;

type Reply = Dto<'TicketReplyDto'>;
type Ticket = Dto<'TicketThreadDto'>;

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
        <State source="status" />
      </Col>
      <Col source="priority" label="Priority" disableSort>
        <State source="priority" />
      </Col>
      <Col source="unanswered" label="Waits" disableSort>
        <Waits />
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
    <Show title={<TicketTitle />} actions={false} queryOptions={{ refetchInterval: REFRESH_MS }}>
      <Thread />
    </Show>
  );
}

function TicketTitle() {
  const ticket = useRecordContext<Ticket>();
  return <bdi>{ticket ? visibleText(ticket.title) : 'Ticket'}</bdi>;
}

function Thread() {
  // A ticket of the list, which is shown until its thread is there, has no replies.
  const ticket = useRecordContext<Partial<Pick<Ticket, 'replies'>> & Omit<Ticket, 'replies'>>();
  if (ticket === undefined) return null;
  const path = `tickets/${ticket.id}`;
  return (
    <Stack spacing={1.5} sx={{ p: 2, maxWidth: 900 }}>
      <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap', alignItems: 'center' }}>
        <CustomerLink />
        <State source="status" />
        <State source="priority" />
        <Typography variant="body2">Assigned to {ticket.assignee ?? 'nobody'}</Typography>
      </Stack>
      <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap' }}>
        <ActionButton
          label="Reply"
          path={`${path}/reply`}
          needs="support"
          done="The reply is sent"
          question="The customer reads it."
        >
          <TextInput source="body" label="Reply" multiline minRows={4} required />
        </ActionButton>
        <ActionButton
          label="Add a note"
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
          question={ticket.assignee ? `It is assigned to ${ticket.assignee} now.` : 'It is assigned to nobody now.'}
          bodyOf={() => ({ replaces: ticket.assignee })}
        />
        <ActionButton
          label="Assign"
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
          question={`It is assigned to ${ticket.assignee ?? 'nobody'} now.`}
          disabled={!ticket.assignee}
          bodyOf={() => ({ to: null, replaces: ticket.assignee })}
        />
        <ActionButton
          label="Set status"
          path={`${path}/set-status`}
          needs="support"
          done="The status is set"
          initial={{ status: ticket.status }}
          question="The customer sees it."
        >
          <SelectInput
            source="status"
            label="Status"
            choices={STATUSES.map((id) => ({ id, name: id }))}
            emptyText={false}
            required
          />
        </ActionButton>
        <ActionButton
          label="Close"
          path={`${path}/set-status`}
          needs="support"
          done="The ticket is closed"
          disabled={ticket.status === 'closed'}
          question="A closed ticket takes no more replies of the customer."
          bodyOf={() => ({ status: 'closed' })}
        />
      </Stack>
      <Entry
        reply={{ id: ticket.id, author: 'customer', internal: false, body: ticket.body, created_at: ticket.created_at }}
      />
      {ticket.replies?.map((reply) => (
        <Entry key={reply.id} reply={reply} />
      ))}
    </Stack>
  );
}

function Entry({ reply }: { reply: Reply }) {
  const [formats] = useFormats();
  const who = reply.internal ? 'Note' : reply.author === 'operator' ? 'Operator' : 'Customer';
  return (
    <Card
      variant="outlined"
      sx={{ ml: reply.author === 'operator' ? 4 : 0, bgcolor: reply.internal ? 'action.hover' : undefined }}
    >
      <CardContent sx={{ '&:last-child': { pb: 1.5 }, pt: 1 }}>
        <Typography variant="caption" color="text.secondary">
          {who}, {formatTime(reply.created_at, formats)}
        </Typography>
        <Typography component="div" dir="auto" sx={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {visibleText(reply.body)}
        </Typography>
      </CardContent>
    </Card>
  );
}
