import {
  Alert,
  Stack,
  Table,
  TableBody,
  TableCell,
  TableContainer,
  TableHead,
  TableRow,
  TextField,
  Typography,
} from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Title } from 'react-admin';
import { Link } from 'react-router-dom';
import { call, type Dto } from '../client/api';
import { formatNok, formatNumber, useFormats, visibleText } from '../shared/formats';

const SUMS = ['topped_up', 'refunded', 'adjusted', 'used_purchased', 'used_included', 'granted', 'expired'] as const;

/** A month of AI credit for the bookkeeping: the customers that used most, and the totals of all. */
export function AccountingPage() {
  const [month, setMonth] = useState(new Intl.DateTimeFormat('sv-SE').format(new Date()).slice(0, 7));
  const [formats] = useFormats();
  const { data, error } = useQuery({
    queryKey: ['accounting', month],
    enabled: /^\d{4}-\d\d$/.test(month),
    queryFn: () => call<Dto<'AccountingDto'>>('GET', 'ai/accounting', { query: { month, top: 100 } }),
  });
  return (
    <Stack spacing={1.5} sx={{ mt: 1 }}>
      <Title title="AI accounting" />
      <TextField
        label="Month"
        type="month"
        value={month}
        onChange={(event) => setMonth(event.target.value)}
        sx={{ maxWidth: 200 }}
      />
      {error && <Alert severity="error">{error.message}</Alert>}
      {data && (
        <Typography>
          {formatNumber(data.customers, formats)} customers: topped up {formatNok(data.topped_up, formats)}, used of
          purchased credit {formatNok(data.used_purchased, formats)}, of included credit{' '}
          {formatNok(data.used_included, formats)} NOK. Below are the 100 that used most.
        </Typography>
      )}
      <TableContainer>
        <Table size="small" aria-label="Customers that used most">
          <TableHead>
            <TableRow>
              <TableCell>Customer</TableCell>
              {SUMS.map((sum) => (
                <TableCell key={sum} align="right">
                  {sum.replaceAll('_', ' ')}
                </TableCell>
              ))}
            </TableRow>
          </TableHead>
          <TableBody>
            {data?.data.map((row) => (
              <TableRow key={row.customer_id}>
                <TableCell>
                  <Link to={`/customers/${row.customer_id}/show/ai`}>
                    <bdi>{visibleText(row.customer_name)}</bdi>
                  </Link>
                </TableCell>
                {SUMS.map((sum) => (
                  <TableCell key={sum} align="right">
                    {formatNok(row[sum], formats)}
                  </TableCell>
                ))}
              </TableRow>
            ))}
          </TableBody>
        </Table>
      </TableContainer>
    </Stack>
  );
}
