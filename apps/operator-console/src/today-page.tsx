import { Alert, Box, Card, CardActionArea, CardContent, Chip, Stack, Typography } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { Title } from 'react-admin';
import { Link } from 'react-router-dom';
import { call, type Dto } from './client/api';
import { Bars, type ChartData } from './shared/charts';
import { formatNumber, formatTime, useFormats } from './shared/formats';
import { NotReadAgain } from './shared/not-read-again';
import { REFRESH_MS } from './shared/refresh';

type Today = Dto<'TodayDto'>;

const filterOf = (filter: object) => `?filter=${encodeURIComponent(JSON.stringify(filter))}`;

/** Each leads to the list that has exactly these; who has waited longest for money is first. */
const WAITING = [
  [
    'credit_requests',
    'Credit requests to decide',
    `/credit-requests${filterOf({ status: 'pending' })}&sort=created_at&order=ASC`,
  ],
  ['unanswered_tickets', 'Tickets without an answer', `/tickets${filterOf({ unanswered: true })}`],
  ['urgent_tickets', 'Urgent tickets', `/tickets${filterOf({ priority: 'urgent', status: 'open' })}`],
  ['status_events', 'Status events that have not ended', `/status-events${filterOf({ present: true })}`],
  ['overdue_invoices', 'Invoices overdue', `/invoices${filterOf({ overdue: true })}`],
  ['failing_syncs', 'Invoice syncs that fail', `/invoice-syncs${filterOf({ failing: true })}`],
  ['unknown_outcomes', 'AI calls of the last 24 hours with unknown outcome', '/unknown-calls'],
  ['ledger_problems', "Differences found in customers' AI credit", '/ledger-problems'],
] as const satisfies [keyof Today['waiting'], string, string][];

const GRID = {
  display: 'grid',
  gap: 1.5,
  gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: 'repeat(2, minmax(0, 1fr))' },
} as const;

/** Rows of a day and a name, as series of the names over the days. */
function byName<Row extends { day: string }>(
  rows: Row[],
  nameOf: (row: Row) => string,
  countOf: (row: Row) => number,
): ChartData {
  const days = [...new Set(rows.map(({ day }) => day))];
  const names = [...new Set(rows.map(nameOf))];
  const counts = new Map(rows.map((row) => [`${row.day} ${nameOf(row)}`, countOf(row)]));
  return {
    labels: days,
    series: names.map((name) => ({ name, values: days.map((day) => counts.get(`${day} ${name}`) ?? 0) })),
  };
}

/** What waits for somebody, and how the service does. */
export default function TodayPage() {
  const [formats] = useFormats();
  const { data, error, dataUpdatedAt } = useQuery({
    queryKey: ['today'],
    queryFn: ({ signal }) => call<Today>('GET', 'today', { signal }),
    refetchInterval: REFRESH_MS,
  });
  if (error && data === undefined) return <Alert severity="error">{error.message}</Alert>;
  if (data === undefined) return <Typography sx={{ p: 2 }}>Loading…</Typography>;
  const { waiting, upstreams, series } = data;
  return (
    <Stack spacing={1.5} sx={{ mt: 1 }}>
      <Title title="Today" />
      <NotReadAgain error={error} readAt={dataUpdatedAt} />
      <Box sx={{ display: 'grid', gap: 1, gridTemplateColumns: 'repeat(auto-fill, minmax(170px, 1fr))' }}>
        {WAITING.map(([name, label, to]) => (
          <Card key={name} variant="outlined" sx={{ borderColor: waiting[name] > 0 ? 'warning.main' : undefined }}>
            <CardActionArea component={Link} to={to} sx={{ height: '100%' }}>
              <CardContent sx={{ py: 1 }}>
                <Typography variant="h5" component="p">
                  {formatNumber(waiting[name], formats)}
                </Typography>
                <Typography variant="body2">{label}</Typography>
              </CardContent>
            </CardActionArea>
          </Card>
        ))}
      </Box>
      <Stack direction="row" spacing={1} useFlexGap sx={{ flexWrap: 'wrap' }} role="list" aria-label="Upstreams">
        {upstreams.map(({ name, state, failures }) => (
          <Chip
            key={name}
            role="listitem"
            size="small"
            variant="outlined"
            color={state === 'ok' ? 'success' : 'error'}
            label={state === 'ok' ? `${name}: ok` : `${name}: ${formatNumber(failures, formats)} failures lately`}
          />
        ))}
      </Stack>
      <Typography variant="body2" color="text.secondary">
        Figures of the last 30 days, as of {formatTime(series.as_of, formats)}
      </Typography>
      <Box sx={GRID}>
        <Bars
          title="AI: cost by day"
          byDay
          unit="NOK"
          data={byName(
            series.ai,
            () => 'cost',
            ({ cost_nok: cost }) => cost,
          )}
        />
        <Bars
          title="AI: messages by day"
          byDay
          data={byName(
            series.ai,
            () => 'messages',
            ({ calls }) => calls,
          )}
        />
        <Bars
          title="SMS by outcome"
          byDay
          data={byName(
            series.sms,
            ({ status }) => status,
            ({ messages }) => messages,
          )}
        />
        <Bars
          title="Refused requests by code"
          byDay
          data={byName(
            series.refusals,
            ({ code }) => code,
            ({ requests }) => requests,
          )}
        />
      </Box>
    </Stack>
  );
}
