import { Alert, Button, Card, CardContent, Stack, TextField, Typography } from '@mui/material';
import { useState } from 'react';
import { NumberInput, Show, SimpleShowLayout, TextInput, useRecordContext } from 'react-admin';
import { useNavigate } from 'react-router-dom';
import type { Query } from '../client/api';
import { Col, ConsoleList } from '../shared/console-list';
import { Code, CustomerLink, Nok, Plain, Time } from '../shared/fields';
import { ofCustomer, since } from '../shared/filters';

/** Requests that were answered with 400 or more: why was it refused? */
export function RefusedRequestList({ fixed, embedded }: { fixed?: Query; embedded?: boolean }) {
  return (
    <>
      {!embedded && <FindRequest />}
      <ConsoleList
        resource="requests"
        title="Refused requests"
        fixed={fixed}
        embedded={embedded}
        csv
        filters={[
          <TextInput key="code" source="code" label="Code, such as rate_limited" alwaysOn />,
          <NumberInput key="status" source="status" label="Status" alwaysOn />,
          <TextInput key="fingerprint" source="fingerprint" label="Fingerprint of the token" />,
          <TextInput key="network" source="network" label="Network" />,
          since,
          ...(embedded ? [] : [ofCustomer]),
        ]}
      >
        <Col source="created_at" label="When" disableSort>
          <Time source="created_at" />
        </Col>
        {!embedded && (
          <Col source="customer_name" label="Customer" disableSort>
            <CustomerLink />
          </Col>
        )}
        <Col source="status" label="Status" disableSort />
        <Col source="code" label="Code" disableSort>
          <Plain source="code" />
        </Col>
        <Col source="route" label="Route" disableSort>
          <Plain source="route" />
        </Col>
        <Col source="detail" label="Text of the reply" disableSort>
          <Plain source="detail" />
        </Col>
        <Col source="id" label="Request id" disableSort>
          <Code source="id" />
        </Col>
      </ConsoleList>
    </>
  );
}

/** A customer tells the id that its error reply had. */
function FindRequest() {
  const [id, setId] = useState('');
  const navigate = useNavigate();
  return (
    <Card variant="outlined" sx={{ mt: 1 }}>
      <CardContent
        component="form"
        onSubmit={(event: React.FormEvent) => {
          event.preventDefault();
          if (id.trim() !== '') navigate(`/requests/${encodeURIComponent(id.trim())}/show`);
        }}
        sx={{ '&:last-child': { pb: 2 } }}
      >
        <Stack direction="row" spacing={1}>
          <TextField
            label="Request id (request_id of the error, X-Request-Id)"
            value={id}
            onChange={(event) => setId(event.target.value)}
            fullWidth
          />
          <Button type="submit" variant="contained">
            Find
          </Button>
        </Stack>
      </CardContent>
    </Card>
  );
}

export function RefusedRequestPage() {
  return (
    <Show title="Request" actions={false}>
      <SimpleShowLayout>
        <Explanation />
        <Time source="created_at" label="When" />
        <CustomerLink label="Customer" />
        <Code source="status" label="Status" />
        <Plain source="code" label="Code" />
        <Plain source="outcome" label="Outcome" />
        <Plain source="route" label="Route" />
        <Plain source="detail" label="Text of the reply" />
        <Plain source="token_name" label="Token" />
        <Code source="fingerprint" label="Fingerprint of the token" />
        <Plain source="network" label="Network" />
        <Plain source="upstream" label="Refusal of the provider" />
        <Nok source="charged" label="Charged, NOK" />
        <Code source="id" label="Request id" />
      </SimpleShowLayout>
    </Show>
  );
}

function Explanation() {
  const request = useRecordContext<{ id: string; charged?: number | null; code?: string }>();
  if (request === undefined) return null;
  return (
    <Alert severity="info">
      <Typography variant="body2">
        {request.code ? `Refused with ${request.code}.` : 'Not refused.'}{' '}
        {request.charged ? 'It was charged.' : 'Nothing was charged.'}
      </Typography>
    </Alert>
  );
}
