import { SelectInput, TextInput, useRecordContext } from 'react-admin';
import type { Query } from '../client/api';
import { ActionButton } from '../shared/action-button';
import { Col, ConsoleList } from '../shared/console-list';
import { Plain, State, Time } from '../shared/fields';

const STATUSES = ['pending', 'active', 'suspended', 'terminated'].map((id) => ({ id, name: id }));

const config = (text: unknown): object => (text ? { config: JSON.parse(String(text)) as unknown } : {});
const isJson = (text: string | undefined) => {
  if (!text) return undefined;
  try {
    return typeof JSON.parse(text) === 'object' ? undefined : 'Must be a JSON object';
  } catch {
    return 'Must be a JSON object, such as {"included_nok": 500}';
  }
};

/** The services that a customer has at the operator. */
export function CustomerServices({ fixed }: { fixed: Query }) {
  return (
    <ConsoleList
      resource="services"
      fixed={fixed}
      embedded
      rowClick={false}
      actions={
        <ActionButton
          label="Add a service"
          path="services"
          needs="admin"
          done="The service is added"
          question="The customer sees it at once."
          initial={{ status: 'active' }}
          bodyOf={({ type, name, status, config: text }) => ({
            customer_id: fixed.customer_id,
            type,
            name,
            status,
            ...config(text),
          })}
        >
          <TextInput source="type" label="Type, such as ai, sms or hosting" required />
          <TextInput source="name" label="Name" required />
          <SelectInput source="status" label="Status" choices={STATUSES} emptyText={false} />
          <TextInput source="config" label="Settings for programs: JSON (none if empty)" multiline validate={isJson} />
        </ActionButton>
      }
    >
      <Col source="id" label="No." disableSort />
      <Col source="type" label="Type" disableSort />
      <Col source="name" label="Name" disableSort>
        <Plain source="name" />
      </Col>
      <Col source="status" label="Status" disableSort>
        <State source="status" />
      </Col>
      <Col source="created_at" label="Since" disableSort>
        <Time source="created_at" />
      </Col>
      <Col source="config" label="Settings" disableSort>
        <Config />
      </Col>
      <Col label="Change" disableSort>
        <ChangeService />
      </Col>
    </ConsoleList>
  );
}

function Config() {
  const service = useRecordContext<{ id: number; config?: object }>();
  if (Object.keys(service?.config ?? {}).length === 0) return <span>–</span>;
  return <code>{JSON.stringify(service?.config)}</code>;
}

function ChangeService() {
  const service = useRecordContext<{ id: number; name: string; status: string; config?: object }>();
  if (service === undefined) return null;
  return (
    <ActionButton
      label="Change"
      title="Change the service"
      path={`services/${service.id}`}
      method="PATCH"
      needs="admin"
      done="The service is changed"
      question={`Service ${service.id}. The customer sees the change at once.`}
      initial={{ name: service.name, status: service.status, config: JSON.stringify(service.config ?? {}) }}
      bodyOf={({ name, status, config: text }) => ({ name, status, ...config(text) })}
    >
      <TextInput source="name" label="Name" required />
      <SelectInput source="status" label="Status" choices={STATUSES} emptyText={false} />
      <TextInput source="config" label="Settings for programs: JSON (none if empty)" multiline validate={isJson} />
    </ActionButton>
  );
}
