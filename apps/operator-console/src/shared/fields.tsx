import { Chip, Link as MuiLink, Tooltip, Typography } from '@mui/material';
import { useRecordContext } from 'react-admin';
import { Link } from 'react-router-dom';
import { formatDay, formatNok, formatNumber, formatTime, useFormats, visibleText } from './formats';

type Values = Record<string, unknown>;
interface FieldProps {
  source: string;
  /** The column's heading, which react-admin reads. */
  label?: string;
  sortable?: boolean;
}

/** The value at a path such as `customer.name` of the record in context. */
function useValue<Value>(source: string): Value | undefined {
  const record = useRecordContext<Values & { id: string }>();
  return source.split('.').reduce<unknown>((value, name) => (value as Values | undefined)?.[name], record) as
    Value | undefined;
}

export function Nok({ source }: FieldProps) {
  const [formats] = useFormats();
  return <span>{formatNok(useValue<number | string>(source), formats)}</span>;
}

export function Count({ source }: FieldProps) {
  const [formats] = useFormats();
  return <span>{formatNumber(useValue<number>(source), formats)}</span>;
}

export function Time({ source }: FieldProps) {
  const [formats] = useFormats();
  const time = useValue<string>(source);
  return (
    <Tooltip title={time ?? ''}>
      <span style={{ whiteSpace: 'nowrap' }}>{formatTime(time, formats)}</span>
    </Tooltip>
  );
}

export function Day({ source }: FieldProps) {
  const [formats] = useFormats();
  return <span>{formatDay(useValue<string>(source), formats)}</span>;
}

/** A text that a customer or another system wrote. It is isolated from the text around it, whatever its direction. */
export function Plain({ source }: FieldProps) {
  const text = useValue<string | number | null>(source);
  return <bdi>{text === null || text === undefined || text === '' ? '–' : visibleText(String(text))}</bdi>;
}

/** A short text that people copy: an id, a number, a fingerprint. */
export function Code({ source }: FieldProps) {
  const text = useValue<string | number | null>(source);
  return (
    <Typography component="code" variant="body2" sx={{ fontFamily: 'ui-monospace, monospace', wordBreak: 'break-all' }}>
      {text ?? '–'}
    </Typography>
  );
}

export function YesNo({ source }: FieldProps) {
  return <span>{useValue<boolean>(source) ? 'yes' : 'no'}</span>;
}

const COLORS = {
  success: ['active', 'approved', 'paid', 'delivered', 'operational', 'closed', 'resolved', 'sent', 'open-invoice'],
  warning: ['pending', 'urgent', 'high', 'degraded', 'unknown', 'expiring', 'answered', 'maintenance', 'suspended'],
  error: [
    'rejected',
    'failed',
    'outage',
    'overdue',
    'inactive',
    'deactivated',
    'expired',
    'error',
    'uncollectible',
    'missed',
  ],
} as const;
const colorOf = (state: string) =>
  (Object.keys(COLORS) as (keyof typeof COLORS)[]).find((color) =>
    (COLORS[color] as readonly string[]).includes(state),
  ) ?? 'default';

/** The state in a field. */
export function State({ source }: FieldProps) {
  const value = useValue<string | boolean>(source);
  if (value === undefined || value === null) return <span>–</span>;
  return <StateChip state={value === true ? 'active' : value === false ? 'inactive' : value} />;
}

/** A state: its word, and a colour that repeats it. */
export function StateChip({ state }: { state: string }) {
  return <Chip size="small" variant="outlined" label={state.replaceAll('_', ' ')} color={colorOf(state)} />;
}

/** Records that concern no customer, such as changes of prices, have the nil UUID as theirs. */
export const isCustomer = (id: string | null | undefined): id is string =>
  typeof id === 'string' && !/^[0-]*$/.test(id);

/** The customer of a record of another list, which leads to its page; `none` stands for a record that concerns no customer. */
export function CustomerLink({ none = '–' }: { label?: string; source?: string; sortable?: boolean; none?: string }) {
  const record = useRecordContext<
    Values & { id: string; customer_id?: string; customer_name?: string; customer_number?: string }
  >();
  if (!isCustomer(record?.customer_id)) return <span>{none}</span>;
  return (
    <MuiLink component={Link} to={`/customers/${record.customer_id}/show`} onClick={(event) => event.stopPropagation()}>
      <bdi>{visibleText(record.customer_name || record.customer_number || record.customer_id)}</bdi>
    </MuiLink>
  );
}
