import { Alert, Box, Card, CardActionArea, CardContent, Chip, Stack, Typography } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { Title } from 'react-admin';
import { Link } from 'react-router-dom';
import { call } from './client/api';
import { Bars } from './shared/charts';
import { REFRESH_MS } from './shared/console-list';
import { formatNumber, useFormats } from './shared/formats';

interface Today {
  waiting: {
    pending_credit_requests: number;
    unanswered_tickets: number;
    urgent_tickets: number;
    overdue_invoices: number;
    failing_invoice_syncs: number;
    unknown_outcomes: number;
    unknown_sms: number;
  };
  ai_cost_by_day: { day: string; cost: number; messages: number }[];
  sms_by_day: { day: string; status: string; count: number }[];
  refusals_by_code: { code: string; count: number }[];
  upstreams: { name: string; state: string; detail?: string | null }[];
}

/** Each leads to the list that has exactly these. */
const WAITING: [keyof Today['waiting'], string, string][] = [
  [
    'pending_credit_requests',
    'Credit requests to decide',
    `/credit-requests?filter=${encodeURIComponent('{"status":"pending"}')}`,
  ],
  ['unanswered_tickets', 'Tickets without an answer', `/tickets?filter=${encodeURIComponent('{"unanswered":true}')}`],
  [
    'urgent_tickets',
    'Urgent tickets',
    `/tickets?filter=${encodeURIComponent('{"priority":"urgent","status":"open"}')}`,
  ],
  [
    'overdue_invoices',
    'Invoices overdue',
    `/invoices?filter=${encodeURIComponent('{"status":"open","overdue":true}')}`,
  ],
  [
    'failing_invoice_syncs',
    'Customers whose invoices do not sync',
    '/customers?filter=%7B%22failing_sync%22%3Atrue%7D',
  ],
  ['unknown_outcomes', 'AI calls with unknown outcome', '/unknown-calls'],
  ['unknown_sms', 'SMS with unknown outcome', `/sms?filter=${encodeURIComponent('{"status":"unknown"}')}`],
];

const distinct = <Value,>(values: Value[]): Value[] => [...new Set(values)];

/** What waits for somebody, and how the service does. */
export default function TodayPage() {
  const [formats] = useFormats();
  const { data, error } = useQuery({
    queryKey: ['today'],
    queryFn: ({ signal }) => call<Today>('GET', 'today', { signal }),
    refetchInterval: REFRESH_MS,
  });
  if (error) return <Alert severity="error">{error.message}</Alert>;
  if (data === undefined) return <Typography sx={{ p: 2 }}>Loading…</Typography>;
  const smsDays = distinct(data.sms_by_day.map(({ day }) => day));
  return (
    <Stack spacing={1.5} sx={{ mt: 1 }}>
      <Title title="Today" />
      <Box sx={{ display: 'grid', gap: 1, gridTemplateColumns: 'repeat(auto-fill, minmax(170px, 1fr))' }}>
        {WAITING.map(([name, label, to]) => (
          <Card key={name} variant="outlined" sx={{ borderColor: data.waiting[name] > 0 ? 'warning.main' : undefined }}>
            <CardActionArea component={Link} to={to}>
              <CardContent sx={{ py: 1 }}>
                <Typography variant="h5" component="p">
                  {formatNumber(data.waiting[name], formats)}
                </Typography>
                <Typography variant="body2">{label}</Typography>
              </CardContent>
            </CardActionArea>
          </Card>
        ))}
      </Box>
      <Stack
        direction="row"
        spacing={1}
        useFlexGap
        sx={{ flexWrap: 'wrap', alignItems: 'center' }}
        role="list"
        aria-label="Upstreams"
      >
        {data.upstreams.map(({ name, state, detail }) => (
          <Chip
            key={name}
            role="listitem"
            size="small"
            variant="outlined"
            color={state === 'up' ? 'success' : state === 'down' ? 'error' : 'warning'}
            label={`${name}: ${state}${detail ? ` (${detail})` : ''}`}
          />
        ))}
      </Stack>
      <Box
        sx={{
          display: 'grid',
          gap: 1.5,
          gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: 'repeat(2, minmax(0, 1fr))' },
        }}
      >
        <Bars
          title="AI: cost by day"
          byDay
          unit="NOK"
          data={{
            labels: data.ai_cost_by_day.map(({ day }) => day),
            series: [{ name: 'cost', values: data.ai_cost_by_day.map(({ cost }) => cost) }],
          }}
        />
        <Bars
          title="AI: messages by day"
          byDay
          data={{
            labels: data.ai_cost_by_day.map(({ day }) => day),
            series: [{ name: 'messages', values: data.ai_cost_by_day.map(({ messages }) => messages) }],
          }}
        />
        <Bars
          title="SMS by outcome"
          byDay
          data={{
            labels: smsDays,
            series: distinct(data.sms_by_day.map(({ status }) => status)).map((status) => ({
              name: status,
              values: smsDays.map(
                (day) => data.sms_by_day.find((row) => row.day === day && row.status === status)?.count ?? 0,
              ),
            })),
          }}
        />
        <Bars
          title="Refused requests by code, last day"
          data={{
            labels: data.refusals_by_code.map(({ code }) => code),
            series: [{ name: 'requests', values: data.refusals_by_code.map(({ count }) => count) }],
          }}
        />
      </Box>
    </Stack>
  );
}
