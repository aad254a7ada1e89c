import {
  Alert,
  Stack,
  Table,
  TableBody,
  TableCell,
  TableContainer,
  TableHead,
  TableRow,
  Typography,
} from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { Title } from 'react-admin';
import { Link } from 'react-router-dom';
import { call, type Dto } from '../client/api';
import { formatNumber, useFormats, visibleText } from '../shared/formats';

const SEVERITIES = { ok: 'success', off: 'info', warning: 'warning', failed: 'error' } as const;

/** Whether the installation has what it needs, and who stores most. */
export function InstallationPage() {
  const [formats] = useFormats();
  const checks = useQuery({
    queryKey: ['installation-checks'],
    queryFn: () => call<Dto<'FindingListDto'>>('GET', 'installation/checks'),
    refetchOnWindowFocus: false,
  });
  const storage = useQuery({
    queryKey: ['installation-storage'],
    queryFn: () => call<Dto<'StorageListDto'>>('GET', 'installation/storage', { query: { days: 7 } }),
  });
  return (
    <Stack spacing={1} sx={{ mt: 1 }}>
      <Title title="Installation" />
      {checks.isPending && (
        <Typography>Credentials, connections, clock, erasures, memory and disk are checked…</Typography>
      )}
      {checks.error && <Alert severity="error">{checks.error.message}</Alert>}
      {checks.data?.data.map(({ check, result, detail }) => (
        <Alert key={check} severity={SEVERITIES[result]}>
          {check}: {visibleText(detail)}
        </Alert>
      ))}
      <Typography component="h2" variant="subtitle1">
        Customers that stored most in the last seven days
      </Typography>
      {storage.error && <Alert severity="error">{storage.error.message}</Alert>}
      <TableContainer>
        <Table size="small" aria-label="Customers that stored most">
          <TableHead>
            <TableRow>
              <TableCell>Customer</TableCell>
              <TableCell align="right">Bytes</TableCell>
              <TableCell align="right">Bytes on the largest day</TableCell>
            </TableRow>
          </TableHead>
          <TableBody>
            {storage.data?.data.map((row) => (
              <TableRow key={row.customer_id}>
                <TableCell>
                  <Link to={`/customers/${row.customer_id}/show`}>
                    <bdi>{visibleText(row.customer_name)}</bdi>
                  </Link>
                </TableCell>
                <TableCell align="right">{formatNumber(row.bytes, formats)}</TableCell>
                <TableCell align="right">{formatNumber(row.largest_day_bytes, formats)}</TableCell>
              </TableRow>
            ))}
          </TableBody>
        </Table>
      </TableContainer>
    </Stack>
  );
}
