import { Stack } from '@mui/material';
import { type ReactNode, useEffect } from 'react';
import {
  BooleanInput,
  RadioButtonGroupInput,
  type RaRecord,
  SelectInput,
  TextInput,
  useRecordContext,
} from 'react-admin';
import { type FieldValues, useFormContext, useWatch } from 'react-hook-form';
import type { Dto, Query } from '../client/api';
import { ActionButton } from '../shared/action-button';
import { Col, ConsoleList } from '../shared/console-list';
import { TimeInput } from '../shared/date-inputs';
import { CustomerLink, Plain, State, Time } from '../shared/fields';
import { customerInput, ofCustomer } from '../shared/filters';
import { visibleText } from '../shared/formats';
import { useServices, useServiceTypes } from '../shared/of-customer';

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
          {embedded ? (
            <PostForServices customerId={String(fixed?.customer_id)} />
          ) : (
            <PostForService label="Post for one customer" initial={{}}>
              <CustomerAndService />
            </PostForService>
          )}
          {!embedded && (
            <Post
              label="Post for all of a type"
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
      <Col label="End" disableSort>
        <End />
      </Col>
    </ConsoleList>
  );
}

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

type Service = Dto<'ServiceDto'>;

const nameOf = ({ id, name, type, status }: Service) =>
  `${visibleText(name)} (${type}, no. ${id}${status === 'active' ? '' : `, ${status}`})`;

/** As many buttons fit beside each other; of more services one is chosen in the form. */
const MOST_BUTTONS = 6;

/** A button for each service of a customer. */
function PostForServices({ customerId }: { customerId: string }) {
  const { data } = useServices(customerId);
  const services = data?.filter(({ status }) => status !== 'terminated') ?? [];
  if (services.length > MOST_BUTTONS)
    return (
      <PostForService label="Post" initial={{ customer_id: customerId }}>
        <ServiceInput customerId={customerId} />
      </PostForService>
    );
  return services.map((service) => (
    <PostForService
      key={service.id}
      label={`Post for ${visibleText(service.name)}`}
      service={service}
      initial={{ customer_id: customerId, service_id: service.id }}
    />
  ));
}

/** The services of a customer, by name; one that is the only one is chosen. */
function ServiceInput({ customerId }: { customerId: string }) {
  const { data, isPending } = useServices(customerId);
  const { setValue } = useFormContext();
  const [first, second] = data?.filter(({ status }) => status !== 'terminated') ?? [];
  const only = second === undefined ? first?.id : undefined;
  // A service that was chosen for another customer is none of this one's.
  useEffect(() => setValue('service_id', only ?? null), [customerId, only, setValue]);
  return (
    <SelectInput
      source="service_id"
      label="Service"
      isPending={isPending}
      emptyText={false}
      helperText={data?.length === 0 ? 'The customer has no service' : undefined}
      choices={(data ?? []).map((service) => ({ id: service.id, name: nameOf(service) }))}
      required
    />
  );
}

/** A customer, and then one of its services. */
function CustomerAndService() {
  const customerId: unknown = useWatch({ name: 'customer_id' });
  return (
    <>
      {customerInput(true)}
      {customerId ? <ServiceInput customerId={String(customerId)} /> : null}
    </>
  );
}

/** The types of services in use, with how many are told. */
function TypeInput() {
  const { data, isPending } = useServiceTypes();
  return (
    <SelectInput
      source="type"
      label="Type of services"
      isPending={isPending}
      emptyText={false}
      choices={(data ?? []).map(({ type, services, customers }) => ({
        id: type,
        name: `${type}: ${counted(services, 'service')} of ${counted(customers, 'customer')}`,
      }))}
      required
    />
  );
}

/** Posts for a service that the page knows, or that its inputs choose. */
function PostForService({
  service,
  ...props
}: Pick<PostProps, 'label' | 'initial' | 'children'> & { service?: Service }) {
  return (
    <Post
      {...props}
      about={service && nameOf(service)}
      path="status-events"
      question="The customer of the service sees it at once."
      done={(reply) => {
        const event = reply as Dto<'StatusEventDto'>;
        return `Posted for ${visibleText(event.service_name)} of ${visibleText(event.customer_name)}`;
      }}
    />
  );
}

interface PostProps {
  label: string;
  /** Whom it is for, if the label does not say it. */
  about?: string;
  path: string;
  question: string;
  initial?: FieldValues;
  done: (reply: RaRecord) => string;
  children?: ReactNode;
}

/** What a status event says, of one service or of many. */
function Post({ label, about, path, question, initial, done, children }: PostProps) {
  return (
    <ActionButton
      label={label}
      title={about === undefined ? `${label}: a status event` : `Post a status event for ${about}`}
      confirmLabel="Post"
      path={path}
      needs="support"
      done={done}
      initial={{ status: 'degraded', ...initial }}
      question={question}
      bodyOf={({ starts_at: startsAt, ...values }) => ({
        ...values,
        ...(startsAt ? { starts_at: new Date(startsAt as string).toISOString() } : {}),
      })}
    >
      {children}
      <RadioButtonGroupInput source="status" label="Status" choices={LEVELS.map((id) => ({ id, name: id }))} />
      <TextInput source="message" label="Message" multiline required />
      <TimeInput source="starts_at" label="Begins (now if empty)" />
    </ActionButton>
  );
}

function End() {
  const event = useRecordContext<Dto<'StatusEventDto'>>();
  if (event === undefined) return null;
  if (event.ends_at) return <Time source="ends_at" />;
  const whose = (
    <>
      <bdi>{visibleText(event.service_name)}</bdi> of <bdi>{visibleText(event.customer_name)}</bdi>
    </>
  );
  const message = <bdi>{visibleText(event.message)}</bdi>;
  return (
    <Stack direction="row" spacing={1}>
      <ActionButton
        label="End"
        title="End the status event"
        path={`status-events/${event.id}/end`}
        needs="support"
        done="The event has ended"
        question={
          <>
            It ends now for {whose}: {message}
          </>
        }
      />
      {event.announcement_id && (
        <ActionButton
          label="End for all"
          title="End the announcement"
          path={`announcements/${event.announcement_id}/end`}
          needs="support"
          done="The announcement has ended"
          question={
            <>
              It ends now for all services that it was posted for, such as {whose}: {message}
            </>
          }
        />
      )}
    </Stack>
  );
}
