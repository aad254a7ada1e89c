import { Chip, Stack, Tooltip } from '@mui/material';
import { TextInput, useRecordContext } from 'react-admin';
import type { Dto } from '../client/api';
import { ActionButton } from '../shared/action-button';
import { Col, ConsoleList } from '../shared/console-list';
import { DayInput } from '../shared/date-inputs';
import { Nok, Plain, Time } from '../shared/fields';
import { spelledDay, useFormats } from '../shared/formats';
import { DecimalInput } from '../shared/number-inputs';

/** Prices of models in NOK per million tokens, each valid from a day. */
export function PriceList() {
  return (
    <ConsoleList
      resource="prices"
      title="Prices (NOK per million tokens)"
      rowClick={false}
      actions={
        <ActionButton
          label="Add a price"
          path="prices"
          needs="billing"
          done="The price is added"
          question="NOK per million tokens. Calls that are in progress keep their price. An example price is replaced, too."
        >
          <TextInput source="model" label="Model, as the provider names it" required />
          <DecimalInput source="input" min={0} label="Input" required />
          <DecimalInput source="output" min={0} label="Output" required />
          <DecimalInput source="cache_write_5m" min={0} label="Cache write, 5 minutes (if empty: 1.25 × input)" />
          <DecimalInput source="cache_write_1h" min={0} label="Cache write, 1 hour (if empty: 2 × input)" />
          <DecimalInput source="cache_read" min={0} label="Cache read (if empty: 0.1 × input)" />
          <DayInput source="from" label="First day (now if empty)" />
        </ActionButton>
      }
    >
      <Col source="model" label="Model" disableSort>
        <Plain source="model" />
      </Col>
      <Col source="valid_from" label="Valid from" disableSort>
        <Time source="valid_from" />
      </Col>
      {RATES.map(([rate, label]) => (
        <Col key={rate} source={rate} label={label} align="right" disableSort>
          <Nok source={rate} />
        </Col>
      ))}
      <Col source="in_force" label="State" disableSort>
        <PriceState />
      </Col>
    </ConsoleList>
  );
}

const RATES = [
  ['input', 'Input'],
  ['output', 'Output'],
  ['cache_write_5m', 'Cache write, 5 min'],
  ['cache_write_1h', 'Cache write, 1 h'],
  ['cache_read', 'Cache read'],
] as const;

/** Whether calls have it now, and whether somebody has decided it. */
function PriceState() {
  const price = useRecordContext<Dto<'ListedPriceDto'>>();
  if (price === undefined) return null;
  const state = price.in_force ? 'in force' : new Date(price.valid_from) > new Date() ? 'to come' : 'replaced';
  return (
    <Stack direction="row" spacing={0.5}>
      <Chip size="small" variant="outlined" color={price.in_force ? 'success' : 'default'} label={state} />
      {price.example && (
        <Tooltip title="It came with the service: the provider's public price, converted. Customers are charged by it until you set your own.">
          <Chip size="small" variant="outlined" color={price.in_force ? 'warning' : 'default'} label="example" />
        </Tooltip>
      )}
      <Withdraw />
    </Stack>
  );
}

/** A price that has not begun can be withdrawn. */
function Withdraw() {
  const price = useRecordContext<Dto<'ListedPriceDto'>>();
  const [formats] = useFormats();
  if (price === undefined || new Date(price.valid_from) <= new Date()) return null;
  const { model, first_day: from } = price;
  return (
    <ActionButton
      label="Withdraw"
      title="Withdraw the price"
      path="prices/withdraw"
      bodyOf={() => ({ model, from })}
      needs="billing"
      done="The price is withdrawn"
      question={`${model}: the price that would begin on ${spelledDay(from, formats)} is withdrawn; the one before it stays.`}
    />
  );
}
