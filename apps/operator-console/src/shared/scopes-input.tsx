import { Button, Stack } from '@mui/material';
import { CheckboxGroupInput } from 'react-admin';
import { useFormContext } from 'react-hook-form';
import type { Dto } from '../client/api';

export type Scope = Dto<'TokenDto'>['scopes'][number];

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

const ALL = (Object.keys(SCOPES) as Scope[]).filter((scope) => scope !== 'billing:read');
const only = (which: RegExp) => ALL.filter((scope) => which.test(scope));

/** Scopes of which an endpoint can have records: the other ones open nothing that events tell of. */
export const RECORD_SCOPES = ALL.filter((scope) => scope === 'webhooks:manage' || /^(?!events).*:read$/.test(scope));

/** Sets that are usual, each by one click. */
const SETS: readonly [string, readonly Scope[]][] = [
  ['All', ALL],
  ['Only read', only(/:read$/)],
  ['AI', only(/^ai:/)],
  ['SMS', only(/^sms:/)],
  ['None', []],
];

/** What any integration needs, and what AI and SMS add. It may not send what it reads elsewhere: that is `webhooks:manage`. */
const ALWAYS = only(/^(invoices|support|status|events):/);
const BY_TYPE = { ai: only(/^ai:/), sms: only(/^sms:/) } as const;

/** The scopes for an integration that uses services of these types. */
export const scopesFor = (types: { ai: boolean; sms: boolean }): Scope[] =>
  ALL.filter(
    (scope) =>
      ALWAYS.includes(scope) || (['ai', 'sms'] as const).some((type) => types[type] && BY_TYPE[type].includes(scope)),
  );

interface Props {
  label: string;
  helperText?: string;
  /** The scopes that can be chosen; all unless given. */
  of?: readonly Scope[];
  /** A set that is chosen from the start, as soon as it is known, and its name. */
  usual?: { name: string; scopes: readonly Scope[] | undefined };
}

/** Scopes, of which some are usually chosen together. */
export function ScopesInput({ label, helperText, of = Object.keys(SCOPES) as Scope[], usual }: Props) {
  const { setValue } = useFormContext();
  const sets = [...(usual?.scopes === undefined ? [] : [[usual.name, usual.scopes] as const]), ...SETS]
    .map(([name, scopes]) => [name, scopes.filter((scope) => of.includes(scope))] as const)
    .filter(([name, scopes]) => name === 'None' || scopes.length > 0);
  return (
    <>
      <Stack direction="row" spacing={1} useFlexGap role="group" aria-label="Usual sets" sx={{ flexWrap: 'wrap' }}>
        {sets.map(([name, scopes]) => (
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
      <CheckboxGroupInput
        source="scopes"
        label={label}
        helperText={helperText}
        // As soon as it is known, unless the person was quicker.
        defaultValue={usual?.scopes}
        choices={of.map((id) => ({ id, name: `${id}: ${SCOPES[id]}` }))}
        row={false}
      />
    </>
  );
}
