import ExpandIcon from '@mui/icons-material/ExpandMore';
import { Accordion, AccordionDetails, AccordionSummary } from '@mui/material';
import { SelectInput, TextInput, useRecordContext } from 'react-admin';
import { useWatch } from 'react-hook-form';
import type { Dto, Query } from '../client/api';
import { ActionButton } from '../shared/action-button';
import { Col, ConsoleList } from '../shared/console-list';
import { Plain, State, Time } from '../shared/fields';
import { visibleText } from '../shared/formats';
import { useServiceTypes } from '../shared/of-customer';

const STATUSES = ['pending', 'active', 'suspended', 'terminated'].map((id) => ({ id, name: id }));

/** The config of the form's text: none if it is empty. */
const configOf = (text: unknown): object => (text ? (JSON.parse(String(text)) as object) : {});
const isJson = (text: string | undefined) => {
  if (!text) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return undefined;
  } catch {
    // Said below.
  }
  return 'Must be a JSON object, such as {"disk_gb": 50}';
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
          bodyOf={({ type, other_type: other, name, status, config: text }) => ({
            customer_id: fixed.customer_id,
            type: type === OTHER ? (other as string) : (type as string),
            name,
            status,
            config: configOf(text),
          })}
        >
          <TypeInput />
          <TextInput source="name" label="Name" required />
          <SelectInput source="status" label="Status" choices={STATUSES} emptyText={false} />
          <ConfigInput />
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

/** Another type than those that there are. */
const OTHER = ' ';

/** Types that the service itself has to do with. */
const KNOWN = {
  ai: 'Setting up AI adds it by itself, with the included credit',
  sms: 'Whether it may send SMS is decided by the SMS settings',
} as const;

/** The types of all customers' services, so that one kind has one name; at last, any other one. */
function TypeInput() {
  const type: unknown = useWatch({ name: 'type' });
  const { data, isPending } = useServiceTypes();
  const types = [...new Set([...Object.keys(KNOWN), ...(data ?? []).map((one) => one.type)])].sort();
  return (
    <>
      <SelectInput
        source="type"
        label="Type"
        isPending={isPending}
        emptyText={false}
        helperText={KNOWN[type as keyof typeof KNOWN] ?? false}
        choices={[...types.map((id) => ({ id, name: id })), { id: OTHER, name: 'another one…' }]}
        required
      />
      {type === OTHER && <TextInput source="other_type" label="Other type, in a word, such as hosting" required />}
    </>
  );
}

/** What few services need: folded until somebody wants it. */
function ConfigInput() {
  return (
    <Accordion variant="outlined" disableGutters>
      <AccordionSummary expandIcon={<ExpandIcon />}>Settings for programs</AccordionSummary>
      <AccordionDetails>
        <TextInput
          source="config"
          label="A JSON object"
          helperText="The customer can read them. None if empty"
          multiline
          fullWidth
          validate={isJson}
        />
      </AccordionDetails>
    </Accordion>
  );
}

/** The settings as names and values. */
function Config() {
  const service = useRecordContext<{ id: number; config?: object }>();
  const settings = Object.entries(service?.config ?? {}).map(
    ([name, value]: [string, unknown]) =>
      `${name.replaceAll('_', ' ')}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return <bdi>{settings.length === 0 ? '–' : visibleText(settings.join(', '))}</bdi>;
}

function ChangeService() {
  const service = useRecordContext<Omit<Dto<'ServiceDto'>, 'config'> & { config?: object }>();
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
      bodyOf={({ name, status, config }) => ({ name, status, config: configOf(config) })}
      // It has the included credit, which the AI settings change, too.
      replaces={{ field: 'config', seen: service.updated_at }}
    >
      <TextInput source="name" label="Name" required />
      <SelectInput source="status" label="Status" choices={STATUSES} emptyText={false} />
      <ConfigInput />
    </ActionButton>
  );
}
