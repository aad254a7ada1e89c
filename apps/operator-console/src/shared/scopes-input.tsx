import { Button, Stack, Typography } from '@mui/material';
import { CheckboxGroupInput } from 'react-admin';
import { useFormContext } from 'react-hook-form';
import type { Dto } from '../client/api';

type Scope = Dto<'TokenDto'>['scopes'][number];

/** What each scope opens; the compiler compares the names with those of the operator API. */
const SCOPES = {
  'ai:read': 'read AI credit, usage and credit requests',
  'ai:use': 'send messages to the AI model, at its cost',
  'ai:topup': 'ask for more AI credit, which you decide about',
  'billing:read': 'reserved: opens nothing yet',
  'invoices:read': 'read invoices',
  'support:read': 'read support tickets',
  'support:write': 'open support tickets, answer and close them',
  'status:read': 'read the status of its services',
  'sms:send': 'send SMS, at its cost',
  'sms:read': 'read the SMS log',
  'events:read': 'read events; those of a subject need its scope, too',
  'webhooks:manage': 'manage webhook endpoints and their deliveries',
} satisfies Record<Scope, string>;

const CHOICES = Object.entries(SCOPES).map(([id, opens]) => ({ id, name: `${id}: ${opens}` }));
const USED = (Object.keys(SCOPES) as Scope[]).filter((scope) => scope !== 'billing:read');
const only = (which: RegExp) => USED.filter((scope) => which.test(scope));

/** Sets that are usual, each by one click. */
const SETS: readonly [string, readonly Scope[]][] = [
  ['All', USED],
  ['Only read', only(/:read$/)],
  ['AI', only(/^ai:/)],
  ['SMS', only(/^sms:/)],
  ['None', []],
];

/** Scopes, of which some are usually chosen together. */
export function ScopesInput({ label }: { label: string }) {
  const { setValue } = useFormContext();
  return (
    <>
      <Stack direction="row" spacing={1} useFlexGap role="group" aria-label="Usual sets" sx={{ flexWrap: 'wrap' }}>
        <Typography variant="body2" sx={{ alignSelf: 'center' }}>
          {label}:
        </Typography>
        {SETS.map(([name, scopes]) => (
          <Button
            key={name}
            size="small"
            variant="outlined"
            onClick={() => setValue('scopes', scopes, { shouldDirty: true, shouldValidate: true })}
          >
            {name}
          </Button>
        ))}
      </Stack>
      <CheckboxGroupInput source="scopes" label={label} choices={CHOICES} row={false} />
    </>
  );
}
