import { Alert, Box, Card, CardContent, LinearProgress, Link as MuiLink, Stack, Typography } from '@mui/material';
import { useRecordContext } from 'react-admin';
import { Link } from 'react-router-dom';
import type { Dto } from '../client/api';
import { AI_FAULTS } from '../shared/ai-faults';
import { Bars } from '../shared/charts';
import { formatNok, formatNumber, useFormats } from '../shared/formats';
import { NotReadAgain } from '../shared/not-read-again';
import { useOverview } from '../shared/of-customer';
import type { Customer } from './customer-page';

export type Overview = Dto<'CustomerOverviewDto'>;

export const LIMITS = [
  ['requests_per_minute', 'Requests per minute'],
  ['ai_per_minute', 'AI messages per minute'],
  ['sms_per_minute', 'SMS per minute'],
  ['pending_credit_requests', 'Credit requests that may be pending'],
] as const satisfies [keyof Customer['limits'], string][];

const COUNTS = [
  ['services', 'Services', 'services'],
  ['active_tokens', 'Tokens in use', 'tokens'],
  ['pending_credit_requests', 'Credit requests to decide', 'credit-requests'],
  ['open_tickets', 'Open tickets', 'tickets'],
  ['unanswered_tickets', 'Tickets without an answer', 'tickets'],
  ['open_invoices', 'Open invoices', 'invoices'],
  ['present_status_events', 'Status events that have not ended', 'status'],
] as const satisfies [keyof Overview['counts'], string, string][];

export function CustomerOverview() {
  const customer = useRecordContext<Customer>();
  const [formats] = useFormats();
  const { data, error, dataUpdatedAt } = useOverview(customer?.id);
  if (error && data === undefined) return <Alert severity="error">{error.message}</Alert>;
  if (data === undefined) return <LinearProgress aria-label="Loading" />;
  const toTab = (tab: string) => `/customers/${data.customer.id}/show/${tab}`;
  return (
    <Stack spacing={1.5} sx={{ py: 1 }}>
      <NotReadAgain error={error} readAt={dataUpdatedAt} />
      <Box
        sx={{
          display: 'grid',
          gap: 1.5,
          gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: 'repeat(2, minmax(0, 1fr))' },
        }}
      >
        <Facts
          title="Limits"
          facts={LIMITS.map(([name, label]) => {
            const value = formatNumber(data.limits_in_force[name], formats);
            return [label, data.customer.limits[name] === null ? `${value} (default)` : value];
          })}
        />
        <Facts
          title="Counts"
          facts={[
            ...COUNTS.map(([name, label, tab]): Fact => [label, formatNumber(data.counts[name], formats), toTab(tab)]),
            ['Owed, NOK', formatNok(data.owed_nok, formats), toTab('invoices')],
            ['Overdue, NOK', formatNok(data.overdue_nok, formats), toTab('invoices')],
          ]}
        />
      </Box>
      {data.ai === null ? <Alert severity="info">AI is not set up for this customer.</Alert> : <Balance ai={data.ai} />}
      <Box
        sx={{
          display: 'grid',
          gap: 1.5,
          gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: 'repeat(2, minmax(0, 1fr))' },
        }}
      >
        <Bars
          title="AI this month, by day"
          byDay
          unit="NOK"
          data={{
            labels: data.usage_by_day.map(({ key }) => key),
            series: [{ name: 'cost', values: data.usage_by_day.map(({ charged }) => charged) }],
          }}
        />
        <Bars
          title="AI this month, by model"
          unit="NOK"
          data={{
            labels: data.usage_by_model.map(({ key }) => key),
            series: [{ name: 'cost', values: data.usage_by_model.map(({ charged }) => charged) }],
          }}
        />
      </Box>
    </Stack>
  );
}

/** A name, its value, and the page that has it. */
type Fact = [name: string, value: string, to?: string];

function Facts({ title, facts }: { title: string; facts: Fact[] }) {
  return (
    <Card variant="outlined">
      <CardContent>
        <Typography component="h2" variant="subtitle1" sx={{ fontWeight: 600 }}>
          {title}
        </Typography>
        <Box
          component="dl"
          // Where both do not fit, the name takes another line, not the figure.
          sx={{
            display: 'grid',
            gridTemplateColumns: 'minmax(0, max-content) auto',
            justifyContent: 'start',
            columnGap: 2,
            m: 0,
          }}
        >
          {facts.map(([name, value, to]) => (
            <Box key={name} sx={{ display: 'contents' }}>
              <Typography component="dt" variant="body2" color="text.secondary">
                {name}
              </Typography>
              <Typography component="dd" variant="body2" sx={{ m: 0 }}>
                {to === undefined ? (
                  value
                ) : (
                  <MuiLink component={Link} to={to} aria-label={`${name}: ${value}`}>
                    {value}
                  </MuiLink>
                )}
              </Typography>
            </Box>
          ))}
        </Box>
      </CardContent>
    </Card>
  );
}

const PARTS = [
  ['included_nok', 'included', 'success.main'],
  ['purchased_nok', 'purchased', 'info.main'],
  ['reserved_nok', 'reserved by calls in progress', 'warning.main'],
] as const;

/** The credit as a bar of its parts. */
export function Balance({ ai }: { ai: NonNullable<Overview['ai']> }) {
  const [formats] = useFormats();
  const limit = (nok: number | null) => (nok === null ? 'none' : `${formatNok(nok, formats)} NOK a month`);
  const all = PARTS.reduce((sum, [name]) => sum + Math.max(0, ai[name]), 0);
  return (
    <Card variant="outlined">
      <CardContent>
        <Typography component="h2" variant="subtitle1" sx={{ fontWeight: 600 }}>
          AI credit{ai.month ? `, ${ai.month}` : ''}:{' '}
          {ai.enabled ? `enabled${ai.model ? `, ${ai.model}` : ''}` : 'not enabled'}
        </Typography>
        {ai.fault !== null && ai.fault !== 'disabled' && (
          <Alert severity="warning">Every message is refused: {AI_FAULTS[ai.fault]}.</Alert>
        )}
        <Box
          aria-hidden="true"
          sx={{ display: 'flex', height: 18, borderRadius: 1, overflow: 'hidden', bgcolor: 'action.hover', my: 1 }}
        >
          {all > 0 &&
            PARTS.map(([name, , color]) => (
              <Box key={name} sx={{ width: `${(100 * Math.max(0, ai[name])) / all}%`, bgcolor: color }} />
            ))}
        </Box>
        <Stack direction="row" spacing={2} useFlexGap sx={{ flexWrap: 'wrap' }}>
          {PARTS.map(([name, label, color]) => (
            <Typography key={name} variant="body2">
              <Box
                component="span"
                aria-hidden="true"
                sx={{ display: 'inline-block', width: 10, height: 10, borderRadius: 0.5, bgcolor: color, mr: 0.75 }}
              />
              {label}: {formatNok(ai[name], formats)} NOK
            </Typography>
          ))}
          <Typography variant="body2">
            Used this month: {formatNok(ai.month_usage_nok, formats)} NOK; included a month:{' '}
            {formatNok(ai.monthly_included_nok, formats)} NOK
          </Typography>
          <Typography variant="body2">
            Limit of included credit: {limit(ai.monthly_limit_nok)}; of all credit: {limit(ai.total_limit_nok)};
            warnings at {ai.credit_thresholds.map((share) => `${share} %`).join(', ')}
          </Typography>
        </Stack>
      </CardContent>
    </Card>
  );
}
