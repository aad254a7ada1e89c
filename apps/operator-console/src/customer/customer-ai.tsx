import { Stack, Typography } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { PasswordInput, SelectInput, TextInput, useRecordContext } from 'react-admin';
import { ApiError, call, type Dto } from '../client/api';
import { ActionButton } from '../shared/action-button';
import { Col, ConsoleList } from '../shared/console-list';
import { Code, Count, Nok, Plain, Time } from '../shared/fields';
import { oneOf } from '../shared/filters';
import { formatNok, useFormats, visibleText } from '../shared/formats';
import { DecimalInput, numberOrNull } from '../shared/number-inputs';
import { readOverview, readServices, useOverview, useServices } from '../shared/of-customer';
import { Balance } from './customer-overview';
import type { Customer } from './customer-page';

const KINDS = ['monthly_included', 'usage', 'manual_adjustment', 'invoice_topup', 'refund', 'expiry'] as const;
const YES_NO = [
  { id: true, name: 'yes' },
  { id: false, name: 'no' },
];

const isAiService = ({ type, status }: Dto<'ServiceDto'>) => type === 'ai' && status !== 'terminated';

/** What the form proposes for a customer without AI replaces nothing that a colleague has set up since it was opened. */
async function assertNotSetUp(
  customerId: string,
  { hadModel, hadService }: { hadModel: boolean; hadService?: boolean },
) {
  if (hadModel && hadService) return;
  const [overview, services] = await Promise.all([readOverview(customerId), readServices(customerId)]);
  const hasModel = Boolean(overview.ai?.model);
  if (hasModel === hadModel && services.some(isAiService) === hadService) return;
  throw new ApiError({
    title: 'Out of date',
    status: 409,
    code: 'set_up_meanwhile',
    detail:
      'Meanwhile the AI of this customer was changed, by a colleague, or by an attempt of yours whose answer was lost: close the form, and open it again. Nothing was sent.',
  });
}

/** A customer's AI: settings, credit, ledger and receipts. */
export function CustomerAi() {
  const customer = useRecordContext<Customer>();
  const { data } = useOverview(customer?.id);
  const { data: services } = useServices(customer?.id);
  if (customer === undefined) return null;
  const hasService = services?.some(isAiService);
  const path = `customers/${customer.id}/ai`;
  const name = visibleText(customer.name);
  return (
    <Stack spacing={1.5} sx={{ py: 1 }}>
      {data?.ai && <Balance ai={data.ai} />}
      <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap' }}>
        <ActionButton
          label="Settings"
          title={`AI settings of ${name}`}
          path={path}
          method="PATCH"
          needs="admin"
          // Sent without what is stored, the form would replace it by nothing.
          disabled={data === undefined || services === undefined}
          done="The settings are stored"
          question={`An empty limit is none.${hasService === false ? ' The customer gets a service of the type ai, which shows it the included credit.' : ''}`}
          // Who chooses its first model lets it use AI; the included credit adds the service.
          assertPresent={() =>
            assertNotSetUp(customer.id, { hadModel: Boolean(data?.ai?.model), hadService: hasService })
          }
          proposed={[...(data?.ai?.model ? [] : ['enabled']), ...(hasService ? [] : ['included_nok'])]}
          initial={{
            enabled: data?.ai?.model ? data.ai.enabled : true,
            model: data?.ai?.model ?? undefined,
            included_nok: data?.ai?.monthly_included_nok ?? 0,
            monthly_limit_nok: data?.ai?.monthly_limit_nok,
            total_limit_nok: data?.ai?.total_limit_nok,
            credit_thresholds: data?.ai?.credit_thresholds.join(' '),
          }}
          confirmLabel="Store"
          bodyOf={(values) => ({
            enabled: values.enabled as boolean,
            ...(values.model ? { model: values.model as string } : {}),
            included_nok: Number(values.included_nok),
            monthly_limit_nok: numberOrNull(values.monthly_limit_nok),
            total_limit_nok: numberOrNull(values.total_limit_nok),
            credit_thresholds: values.credit_thresholds
              ? String(values.credit_thresholds)
                  .split(/[ ,%]+/)
                  .filter(Boolean)
                  .map(Number)
              : null,
          })}
        >
          <SelectInput source="enabled" label="May use AI" choices={YES_NO} />
          <ModelInput present={data?.ai?.model} />
          <DecimalInput source="included_nok" label="Included credit a month, NOK" min={0} required />
          <DecimalInput
            source="monthly_limit_nok"
            label="Limit of included credit, NOK a month"
            helperText="No limit if empty"
            min={0}
          />
          <DecimalInput
            source="total_limit_nok"
            label="Limit of all credit, purchased too, NOK a month"
            helperText="No limit if empty"
            min={0}
          />
          <TextInput
            source="credit_thresholds"
            label="Warnings at, percent of the month's credit"
            helperText="Such as 50 80: an event tells the customer each time. 80 if empty"
          />
        </ActionButton>
        <ActionButton
          label="Provider key"
          title={`Key of ${name} at the AI provider`}
          path={path}
          method="PATCH"
          needs="admin"
          done="The key is stored"
          question="The customer's own key at the AI provider. It is encrypted, and never shown again."
        >
          <PasswordInput source="provider_key" label="Key" required autoComplete="off" />
        </ActionButton>
        <ActionButton
          label="Drop its own key"
          title={`Drop the key of ${name}`}
          path={path}
          method="PATCH"
          needs="admin"
          disabled={data?.ai?.own_key !== true}
          done="The service-wide key is used"
          question="Its messages use the service-wide key again."
          bodyOf={() => ({ provider_key: null })}
        />
        <ActionButton
          label="Add credit"
          title={`Add AI credit of ${name}`}
          path={`${path}/credit`}
          needs="billing"
          done="The credit is booked"
          initial={{ kind: 'manual_adjustment' }}
          question="An entry of the ledger, which the customer reads. An adjustment may be negative."
        >
          <SelectInput
            source="kind"
            label="Kind"
            emptyText={false}
            choices={[
              { id: 'manual_adjustment', name: 'manual adjustment' },
              { id: 'refund', name: 'refund' },
            ]}
          />
          <DecimalInput source="amount_nok" label="Amount in NOK" required />
          <TextInput source="note" label="Why" required />
        </ActionButton>
      </Stack>
      <Typography component="h2" variant="subtitle1" sx={{ fontWeight: 600 }}>
        Ledger
      </Typography>
      <ConsoleList
        resource="ai/ledger"
        fixed={{ customer_id: customer.id }}
        embedded
        rowClick={false}
        csv
        filters={[oneOf('kind', KINDS)]}
      >
        <Col source="sequence" label="No." align="right" disableSort />
        <Col source="created_at" label="When" disableSort>
          <Time source="created_at" />
        </Col>
        <Col source="kind" label="Kind" disableSort>
          <Plain source="kind" />
        </Col>
        <Col source="bucket" label="Credit" disableSort />
        <Col source="amount" label="NOK" align="right" disableSort>
          <Nok source="amount" />
        </Col>
        <Col source="balance_after" label="Balance" align="right" disableSort>
          <Nok source="balance_after" />
        </Col>
        <Col source="note" label="Note" disableSort>
          <Plain source="note" />
        </Col>
      </ConsoleList>
      <Typography component="h2" variant="subtitle1" sx={{ fontWeight: 600 }}>
        Receipts
      </Typography>
      <ConsoleList resource="ai/usage" fixed={{ customer_id: customer.id }} embedded rowClick={false} csv>
        <Col source="created_at" label="When" disableSort>
          <Time source="created_at" />
        </Col>
        <Col source="model" label="Model" disableSort>
          <Plain source="model" />
        </Col>
        <Col source="input_tokens" label="Input tokens" align="right" disableSort>
          <Count source="input_tokens" />
        </Col>
        <Col source="output_tokens" label="Output tokens" align="right" disableSort>
          <Count source="output_tokens" />
        </Col>
        <Col source="charged" label="Charged, NOK" align="right" disableSort>
          <Nok source="charged" />
        </Col>
        <Col source="token_name" label="Token" disableSort>
          <Plain source="token_name" />
        </Col>
        <Col source="id" label="Receipt" disableSort>
          <Code source="id" />
        </Col>
      </ConsoleList>
    </Stack>
  );
}

type OfferedModel = Dto<'OfferedModelDto'>;

/**
 * The models that have a price, which the choice shows, and the one that is set. For a customer without one the usual one is chosen
 * from the start: the form says so, and nothing is stored before it is sent.
 */
function ModelInput({ present }: { present: string | null | undefined }) {
  const [formats] = useFormats();
  const { data, isPending } = useQuery({
    queryKey: ['offered-models'],
    queryFn: async ({ signal }) => (await call<Dto<'OfferedModelListDto'>>('GET', 'ai/models', { signal })).data,
  });
  const usual = present ? undefined : data?.find((model) => model.usual);
  const nameOf = ({ model, input, output, example }: OfferedModel) =>
    `${model}: ${formatNok(input, formats)} in, ${formatNok(output, formats)} out${example ? ', example prices' : ''}`;
  const choices = (data ?? []).map((model) => ({ id: model.model, name: nameOf(model) }));
  if (present && !isPending && !choices.some(({ id }) => id === present))
    choices.push({ id: present, name: `${present}: no price in force` });
  return (
    <SelectInput
      source="model"
      label="Model, NOK per million tokens"
      helperText={usual === undefined ? 'One that has a price: see Prices' : whyUsual(usual, data?.length ?? 0)}
      isPending={isPending}
      defaultValue={usual?.model}
      emptyText="none"
      validate={modelIfEnabled}
      choices={choices}
    />
  );
}

function whyUsual({ model, customers }: OfferedModel, models: number): string {
  if (models === 1) return `${model} is the only one that has a price`;
  return customers > 0 ? `Most customers have ${model}` : `${model} is the only one that you have set a price of`;
}

/** Without a model every message would be refused. */
const modelIfEnabled = (model: unknown, { enabled }: { enabled?: boolean }) =>
  enabled && !model ? 'Choose a model: without one every message is refused' : undefined;
