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
        <ActionButton
          label="Post"
          path="status-events"
          needs="support"
          done="The event is posted"
          initial={{ status: 'degraded' }}
          question="Customers see it at once. Name one service by its number, or a type: then all services of this type, of all customers."
        >
          <NumberInput source="service_id" label="Number of the service" />
          <TextInput source="type" label="Or type of services, such as hosting" />
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
      }
    >
      {!embedded && (
        <Col source="customer_name" label="Customer" disableSort>
          <CustomerLink />
        </Col>
      )}
      <Col source="service_id" label="Service" disableSort />
      <Col source="service" label="Name" disableSort>
        <Plain source="service" />
      </Col>
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
