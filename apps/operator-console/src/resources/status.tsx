import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import {
  BooleanInput,
  DateTimeInput,
  type RaRecord,
  ReferenceInput,
  SelectInput,
  TextInput,
  useRecordContext,
} from 'react-admin';
import { useFormContext, useWatch } from 'react-hook-form';
import { call, type Dto, type Query } from '../client/api';
import { ActionButton } from '../shared/action-button';
import { Col, ConsoleList } from '../shared/console-list';
import { CustomerLink, Plain, State, Time } from '../shared/fields';
import { customerInput, ofCustomer } from '../shared/filters';
import { visibleText } from '../shared/formats';

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
          <Post
            label="Post"
            path="status-events"
            question="The customer of the service sees it at once."
            fixed={fixed}
            done={(reply) => {
              const event = reply as Dto<'StatusEventDto'>;
              return `Posted for ${visibleText(event.service_name)} of ${visibleText(event.customer_name)}`;
            }}
          >
            {embedded ? <ServiceInput customerId={fixed?.customer_id} /> : <CustomerAndService />}
          </Post>
          {!embedded && (
            <Post
              label="Announce"
              path="announcements"
              question="All customers with a service of this type that is not terminated see it at once."
              done={(reply) => {
                const { services, customers } = reply as unknown as Dto<'AnnouncementDto'>;
                return `Posted for ${counted(services, 'service')} of ${counted(customers, 'customer')}`;
              }}
            >
              <TypeInput />
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
      <Col source="service_name" label="Service" disableSort>
        <Plain source="service_name" />
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

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** The services of a customer, by name. */
function ServiceInput({ customerId }: { customerId: unknown }) {
  return (
    <ReferenceInput source="service_id" reference="services" filter={{ customer_id: customerId }}>
      <SelectInput
        label="Service"
        emptyText={false}
        optionText={({ id, name, type, status }: Dto<'ServiceDto'>) =>
          `${visibleText(name)} (${type}, no. ${id}${status === 'active' ? '' : `, ${status}`})`
        }
        required
      />
    </ReferenceInput>
  );
}

/** A customer, and then one of its services. */
function CustomerAndService() {
  const customerId: unknown = useWatch({ name: 'customer_id' });
  const { setValue } = useFormContext();
  // A service that was chosen for another customer is none of this one's.
  useEffect(() => setValue('service_id', null), [customerId, setValue]);
  return (
    <>
      {customerInput(true)}
      {customerId ? <ServiceInput customerId={customerId} /> : null}
    </>
  );
}

/** The types of services in use, with how many are told. */
function TypeInput() {
  const { data, isPending } = useQuery({
    queryKey: ['service-types'],
    queryFn: ({ signal }) => call<Dto<'ServiceTypeListDto'>>('GET', 'services/types', { signal }),
  });
  return (
    <SelectInput
      source="type"
      label="Type of services"
      isPending={isPending}
      emptyText={false}
      choices={(data?.data ?? []).map(({ type, services, customers }) => ({
        id: type,
        name: `${type}: ${counted(services, 'service')} of ${counted(customers, 'customer')}`,
      }))}
      required
    />
  );
}

/** What a status event says, of one service or of many. */
function Post({
  label,
  path,
  question,
  fixed,
  done,
  children,
}: {
  label: string;
  path: string;
  question: string;
  /** The customer whose page it is. */
  fixed?: Query;
  done: (reply: RaRecord) => string;
  children: ReactNode;
}) {
  return (
    <ActionButton
      label={label}
      title={`${label} a status event`}
      path={path}
      needs="support"
      done={done}
      initial={{ status: 'degraded', ...fixed }}
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
        title="End the status event"
        path={`status-events/${event.id}/end`}
        needs="support"
        done="The event has ended"
        question={`It ends now: ${event.message}`}
      />
      {event.announcement_id && (
        <ActionButton
          label="End for all"
          title="End the announcement"
          path={`announcements/${event.announcement_id}/end`}
          needs="support"
          done="The announcement has ended"
          question={`It ends now for all services that it was posted for: ${event.message}`}
        />
      )}
    </>
  );
}
