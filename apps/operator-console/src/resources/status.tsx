import type { ReactNode } from 'react';
import { DateTimeInput, SelectInput, TextInput, NumberInput, BooleanInput, useRecordContext } from 'react-admin';
import type { Query } from '../client/api';
import { ActionButton } from '../shared/action-button';
import { Col, ConsoleList } from '../shared/console-list';
import { CustomerLink, Plain, State, Time } from '../shared/fields';
import { ofCustomer } from '../shared/filters';

const LEVELS = ['operational', 'maintenance', 'degraded', 'outage'] as const;

/** Status events of customers' services: post one for a service, or for all services of a type; end one. */
export function StatusPage({ fixed, embedded }: { fixed?: Query; embedded?: boolean }) {
  return (
    <ConsoleList
      resource="status-events"
      title="Status"
      fixed={fixed}
      embedded={embedded}
      rowClick={false}
      filterDefaults={embedded ? undefined : { present: true }}
      filters={[
        <BooleanInput key="present" source="present" label="Only those that have not ended" alwaysOn />,
        ...(embedded ? [] : [ofCustomer]),
      ]}
      actions={
        <>
          <Post label="Post" path="status-events" question="The customer of the service sees it at once.">
            <NumberInput source="service_id" label="Number of the service" required />
          </Post>
          {!embedded && (
            <Post
              label="Announce"
              path="announcements"
              question="All customers with a service of this type that is not terminated see it at once."
            >
              <TextInput source="type" label="Type of services, such as hosting" required />
            </Post>
          )}
        </>
      }
    >
      {!embedded && (
        <Col source="customer_name" label="Customer" disableSort>
          <CustomerLink />
        </Col>
      )}
      <Col source="service_id" label="Service" disableSort />
      <Col source="status" label="Status" disableSort>
        <State source="status" />
      </Col>
      <Col source="message" label="Message" disableSort>
        <Plain source="message" />
      </Col>
      <Col source="starts_at" label="Begins" disableSort>
        <Time source="starts_at" />
      </Col>
      <Col source="ends_at" label="Ended" disableSort>
        <Time source="ends_at" />
      </Col>
      <Col label="End" disableSort>
        <End />
      </Col>
    </ConsoleList>
  );
}

/** What a status event says, of one service or of many. */
function Post({
  label,
  path,
  question,
  children,
}: {
  label: string;
  path: string;
  question: string;
  children: ReactNode;
}) {
  return (
    <ActionButton
      label={label}
      path={path}
      needs="support"
      done="The event is posted"
      initial={{ status: 'degraded' }}
      question={question}
      bodyOf={({ starts_at: startsAt, ...values }) => ({
        ...values,
        ...(startsAt ? { starts_at: new Date(startsAt as string).toISOString() } : {}),
      })}
    >
      {children}
      <SelectInput
        source="status"
        label="Status"
        choices={LEVELS.map((id) => ({ id, name: id }))}
        emptyText={false}
        required
      />
      <TextInput source="message" label="Message" multiline required />
      <DateTimeInput source="starts_at" label="Begins (now if empty)" />
    </ActionButton>
  );
}

function End() {
  const event = useRecordContext<{
    id: string;
    ends_at?: string | null;
    message: string;
    announcement_id?: string | null;
  }>();
  if (event === undefined || event.ends_at) return null;
  return (
    <>
      <ActionButton
        label="End"
        path={`status-events/${event.id}/end`}
        needs="support"
        done="The event has ended"
        question={`It ends now: ${event.message}`}
      />
      {event.announcement_id && (
        <ActionButton
          label="End for all"
          path={`announcements/${event.announcement_id}/end`}
          needs="support"
          done="The announcement has ended"
          question={`It ends now for all services that it was posted for: ${event.message}`}
        />
      )}
    </>
  );
}
