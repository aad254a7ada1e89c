import { Stack } from '@mui/material';
import { SelectInput, TextInput, useRecordContext } from 'react-admin';
import { ActionButton } from '../shared/action-button';
import { Col, ConsoleList } from '../shared/console-list';
import { Plain, State, Time } from '../shared/fields';
import { OnceShown } from '../shared/once-shown';

const ROLES = [
  { id: 'viewer', name: 'viewer: sees everything, changes nothing' },
  { id: 'support', name: 'support: tickets, status, SMS log' },
  { id: 'billing', name: 'billing: credit, invoices, prices' },
  { id: 'admin', name: 'admin: everything' },
];

const LINK_HINT = 'It logs in once, within ten minutes. Lost: make a new link.';

/** The operator's people. */
export function AccountList() {
  return (
    <ConsoleList
      title="Accounts"
      rowClick={false}
      actions={
        <ActionButton
          label="Invite"
          title="Invite a person"
          path="accounts"
          needs="admin"
          initial={{ role: 'viewer' }}
          question="The person logs in with the link, and adds a passkey."
          result={(reply) => <OnceShown kind="link" text={reply.link} hint={LINK_HINT} />}
        >
          <TextInput source="name" label="Name" required />
          <TextInput source="email" label="E-mail" type="email" required />
          <SelectInput source="role" label="Role" choices={ROLES} emptyText={false} required />
        </ActionButton>
      }
    >
      <Col source="name" label="Name" disableSort>
        <Plain source="name" />
      </Col>
      <Col source="email" label="E-mail" disableSort>
        <Plain source="email" />
      </Col>
      <Col source="role" label="Role" disableSort />
      <Col source="active" label="State" disableSort>
        <State source="active" />
      </Col>
      <Col source="last_login_at" label="Last login" disableSort>
        <Time source="last_login_at" />
      </Col>
      <Col label="Change" disableSort>
        <AccountActions />
      </Col>
    </ConsoleList>
  );
}

function AccountActions() {
  const account = useRecordContext<{ id: string; name: string; email: string; role: string; active: boolean }>();
  if (account === undefined) return null;
  const path = `accounts/${account.id}`;
  return (
    <Stack direction="row" spacing={1}>
      <ActionButton
        label="Change role"
        title="Change the role of the account"
        path={`${path}/set-role`}
        needs="admin"
        initial={{ role: account.role }}
        bodyOf={({ role }) => ({ role, replaces: account.role })}
        question={account.name}
        done="The role is changed"
      >
        <SelectInput source="role" label="Role" choices={ROLES} emptyText={false} required />
      </ActionButton>
      <ActionButton
        label="New link"
        title="New link for the account"
        path="accounts"
        needs="admin"
        bodyOf={() => ({ email: account.email })}
        question={`A link that logs ${account.name} in once, for a new passkey.`}
        result={(reply) => <OnceShown kind="link" text={reply.link} hint={LINK_HINT} />}
      />
      <ActionButton
        label="Log out"
        title="Log out the account"
        path={`${path}/sessions/revoke`}
        needs="admin"
        done="All sessions are ended"
        question={`${account.name} is logged out everywhere at once, and may log in again.`}
      />
      {account.active ? (
        <ActionButton
          label="Deactivate"
          title="Deactivate the account"
          path={`${path}/deactivate`}
          needs="admin"
          color="error"
          question={`${account.name} is logged out at once.`}
        />
      ) : (
        <ActionButton
          label="Activate"
          title="Activate the account"
          path={`${path}/activate`}
          needs="admin"
          question={`${account.name} may log in again.`}
        />
      )}
    </Stack>
  );
}
