import { Alert, Stack } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { Title } from 'react-admin';
import { call, type Dto } from '../client/api';
import { formatNumber, useFormats } from '../shared/formats';

/** Compares all accounts with their ledgers, as the worker does every hour. */
export function LedgerProblems() {
  const [formats] = useFormats();
  const { data, error, isFetching } = useQuery({
    queryKey: ['verification'],
    queryFn: () => call<Dto<'VerificationDto'>>('GET', 'ai/verification'),
    refetchOnWindowFocus: false,
  });
  return (
    <Stack spacing={1} sx={{ mt: 1 }}>
      <Title title="Accounts that do not add up" />
      {error && <Alert severity="error">{error.message}</Alert>}
      {isFetching && (
        <Alert severity="info">All accounts are compared with their ledgers. That may take a minute.</Alert>
      )}
      {data && (
        <Alert severity={data.problems.length === 0 ? 'success' : 'error'}>
          {formatNumber(data.accounts, formats)} accounts, {data.problems.length} problems
        </Alert>
      )}
      {data?.problems.map((problem) => (
        <Alert key={JSON.stringify(problem)} severity="error">
          {Object.entries(problem)
            .map(([name, value]) => `${name.replaceAll('_', ' ')}: ${String(value)}`)
            .join(', ')}
        </Alert>
      ))}
    </Stack>
  );
}
