import AccountIcon from '@mui/icons-material/ManageAccounts';
import AccountingIcon from '@mui/icons-material/Calculate';
import SyncIcon from '@mui/icons-material/Sync';
import AuditIcon from '@mui/icons-material/History';
import CreditIcon from '@mui/icons-material/Savings';
import CustomersIcon from '@mui/icons-material/Business';
import EventsIcon from '@mui/icons-material/Bolt';
import InstallationIcon from '@mui/icons-material/HealthAndSafety';
import InvoicesIcon from '@mui/icons-material/ReceiptLong';
import PricesIcon from '@mui/icons-material/Sell';
import RefusedIcon from '@mui/icons-material/Block';
import SmsIcon from '@mui/icons-material/Sms';
import StatusIcon from '@mui/icons-material/MonitorHeart';
import TicketsIcon from '@mui/icons-material/SupportAgent';
import WebhooksIcon from '@mui/icons-material/Webhook';
import TodayIcon from '@mui/icons-material/Dashboard';
import TokensIcon from '@mui/icons-material/VpnKey';
import {
  Alert,
  Box,
  Button,
  MenuItem,
  Snackbar,
  type Theme,
  ToggleButton,
  ToggleButtonGroup,
  useMediaQuery,
} from '@mui/material';
import { useQueryClient } from '@tanstack/react-query';
import { type ComponentProps, type ReactElement, type ReactNode, useEffect, useRef, useState } from 'react';
import {
  AppBar,
  Layout,
  Logout,
  Menu,
  type NotificationPayload,
  Sidebar,
  type SidebarProps,
  TitlePortal,
  ToggleThemeButton,
  UserMenu,
  useGetIdentity,
  useLogout,
  useLogoutIfAccessDenied,
  useNotificationContext,
  useNotify,
  usePermissions,
  useSidebarState,
  useTranslate,
  useUserMenu,
} from 'react-admin';
import { Link } from 'react-router-dom';
import { ApiError } from './client/api';
import { ActionDialogs } from './shared/action-button';
import { type Formats, formatTime, useFormats } from './shared/formats';
import { may, type Permission, type Role, useSession } from './session';

/** The heading of a group; or an address, its name and icon, and who may read it if not everybody may. */
type MenuEntry = string | readonly [to: string, label: string, icon: ReactElement, needs?: Permission];

const PAGES: readonly MenuEntry[] = [
  'Work',
  ['/', 'Today', <TodayIcon key="i" />],
  ['/customers', 'Customers', <CustomersIcon key="i" />],
  ['/credit-requests', 'Credit requests', <CreditIcon key="i" />],
  ['/tickets', 'Tickets', <TicketsIcon key="i" />],
  ['/status-events', 'Status', <StatusIcon key="i" />],
  'Billing',
  ['/invoices', 'Invoices', <InvoicesIcon key="i" />],
  ['/invoice-syncs', 'Invoice syncs', <SyncIcon key="i" />],
  ['/accounting', 'AI accounting', <AccountingIcon key="i" />],
  ['/prices', 'Prices', <PricesIcon key="i" />],
  'Look up',
  ['/requests', 'Refused requests', <RefusedIcon key="i" />],
  ['/tokens', 'Find a token', <TokensIcon key="i" />],
  ['/sms', 'SMS', <SmsIcon key="i" />, 'support'],
  ['/events', 'Events', <EventsIcon key="i" />],
  ['/webhook-endpoints', 'Webhooks', <WebhooksIcon key="i" />],
  ['/audit', 'Audit', <AuditIcon key="i" />],
  'Administration',
  ['/accounts', 'Accounts', <AccountIcon key="i" />, 'admin'],
  ['/installation', 'Installation', <InstallationIcon key="i" />],
];

/** The page that is shown is marked by more than a shade of grey, also while the menu has icons only. */
const CURRENT_PAGE = {
  '& .RaMenuItemLink-active, & .RaMenuItemLink-active .RaMenuItemLink-icon': { color: 'primary.main' },
  '& .RaMenuItemLink-active': { fontWeight: 600, bgcolor: 'action.selected', boxShadow: 'inset 3px 0 0 currentColor' },
} as const;

function ConsoleMenu() {
  const { permissions } = usePermissions<Role>();
  return (
    <Box component="nav" aria-label="Pages">
      <Menu sx={CURRENT_PAGE}>
        {PAGES.map((page) => {
          if (typeof page === 'string') return <MenuGroup key={page} title={page} />;
          const [to, label, icon, needs] = page;
          if (needs !== undefined && !may(permissions, needs)) return null;
          return <Menu.Item key={to} to={to} primaryText={label} leftIcon={icon} />;
        })}
      </Menu>
    </Box>
  );
}

/** Begins a group of the menu: with its name, or a line while the menu has the icons only. Arrow keys pass over it. */
function MenuGroup({ title }: { title: string }) {
  const [isOpen] = useSidebarState();
  return (
    <Box
      component="li"
      role="separator"
      aria-label={title}
      sx={{
        listStyle: 'none',
        typography: 'caption',
        color: 'text.secondary',
        px: 2,
        pt: 1,
        ...(isOpen ? {} : { p: 0, my: 0.5, mx: 1, borderTop: 1, borderColor: 'divider' }),
      }}
    >
      {isOpen && title}
    </Box>
  );
}

/**
 * The menu: beside the page, or on a phone above it, as a dialog that hides the page from screen readers. A window that gets as
 * narrow as a phone has not opened that dialog: the menu closes, and is as it was when the window is wide again.
 */
function ConsoleSidebar(props: SidebarProps) {
  const isPhone = useMediaQuery<Theme>((theme) => theme.breakpoints.down('sm'), { noSsr: true });
  const [isOpen, setOpen] = useSidebarState();
  const [isForPhone, setForPhone] = useState(false);
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    if (isPhone === isForPhone) return;
    setForPhone(isPhone);
    if (isPhone) wasOpen.current = isOpen;
    setOpen(isPhone ? false : wasOpen.current);
  }, [isPhone, isForPhone, isOpen, setOpen]);
  return <Sidebar {...props} open={isOpen && isPhone === isForPhone} />;
}

/** On a phone it is in the menu of the person: the bar has room for the title. */
function FormatsSwitch() {
  const [formats, setFormats] = useFormats();
  return (
    <ToggleButtonGroup
      size="small"
      exclusive
      value={formats}
      aria-label="Number and date formats"
      onChange={(_event, chosen: Formats | null) => chosen !== null && setFormats(chosen)}
      sx={{
        mr: 1,
        '& .MuiToggleButton-root': { color: 'inherit', py: 0, borderColor: 'currentColor' },
        '& .MuiToggleButton-root.Mui-selected': {
          color: '#0b2239',
          bgcolor: '#ffffff',
          '&:hover': { bgcolor: '#ffffff' },
        },
      }}
    >
      <ToggleButton value="nb-NO" aria-label="1 234,5: Norwegian numbers and dates">
        1&nbsp;234,5
      </ToggleButton>
      <ToggleButton value="en-GB" aria-label="1,234.5: English numbers and dates">
        1,234.5
      </ToggleButton>
    </ToggleButtonGroup>
  );
}

const STILL_LOGGED_IN = 'You are still logged in: the service has not said that your session has ended. Log out again.';

/** Ends the session. The person stays as long as the service does not say that it has ended. */
function LogoutItem(props: ComponentProps<typeof Logout>) {
  const logout = useLogout();
  const notify = useNotify();
  const menu = useUserMenu();
  const end = () => {
    menu?.onClose();
    logout({}, undefined, false).catch(() => notify(STILL_LOGGED_IN, { type: 'error' }));
  };
  return <Logout {...props} onClick={end} />;
}

function ConsoleBar() {
  const [formats, setFormats] = useFormats();
  const other: Formats = formats === 'nb-NO' ? 'en-GB' : 'nb-NO';
  const isPhone = useMediaQuery<Theme>((theme) => theme.breakpoints.down('sm'));
  const { identity } = useGetIdentity();
  return (
    <AppBar
      userMenu={
        <UserMenu label={identity?.fullName ?? 'Profile'}>
          <Button component={Link} to="/account" fullWidth sx={{ justifyContent: 'flex-start', px: 2 }}>
            Passkeys and sessions
          </Button>
          {isPhone && (
            <MenuItem onClick={() => setFormats(other)}>
              Write numbers as {other === 'nb-NO' ? '1 234,5' : '1,234.5'}
            </MenuItem>
          )}
          <LogoutItem />
        </UserMenu>
      }
      toolbar={
        <>
          {!isPhone && <FormatsSwitch />}
          <ToggleThemeButton />
        </>
      }
    >
      <TitlePortal />
    </AppBar>
  );
}

/** So long before its end a session's person is warned, in milliseconds: time to finish and send what is being written. */
const WARNED_MS = 10 * 60_000;

/**
 * Says that the operator API is away, and goes when it is back; and when the session is about to end. A session that has ended leads
 * to the login, from every page.
 */
function ConnectionNotice() {
  const { data: session, error } = useSession();
  const [formats] = useFormats();
  const logoutIfAccessDenied = useLogoutIfAccessDenied();
  useEffect(() => {
    if (error !== null) void logoutIfAccessDenied(error);
  }, [error, logoutIfAccessDenied]);
  // A role that an admin has changed meanwhile: buttons and menu go by it.
  const role = session?.account.role;
  const queries = useQueryClient();
  useEffect(() => {
    if (role !== undefined) void queries.invalidateQueries({ queryKey: ['auth', 'getPermissions'] });
  }, [role, queries]);
  if (error instanceof ApiError && error.status === 401) return null;
  if (error === null) {
    if (session === undefined || Date.parse(session.expires_at) - Date.now() > WARNED_MS) return null;
    return (
      <Alert severity="warning" sx={{ mb: 1 }}>
        Your session ends at {formatTime(session.expires_at, formats)}, whatever you do: send what you are writing
        before then, and log in anew.
      </Alert>
    );
  }
  return (
    <Alert severity="warning" sx={{ mb: 1 }}>
      The service does not answer at the moment. What you see may be old; it is asked again every few seconds.
    </Alert>
  );
}

/**
 * What was done, or failed, where it covers no button of a dialog: below the menu, or at the top of a phone. A new notice replaces the
 * one before: the older one says nothing of what was just done.
 */
export function ConsoleNotification() {
  const isPhone = useMediaQuery<Theme>((theme) => theme.breakpoints.down('sm'));
  const { notifications, takeNotification } = useNotificationContext();
  const translate = useTranslate();
  const [shown, setShown] = useState<NotificationPayload>();
  const [isOpen, setOpen] = useState(false);
  // A notice has its time from the beginning, whenever the one before was shown.
  const [number, setNumber] = useState(0);
  useEffect(() => {
    const next = takeNotification();
    if (next === undefined) return;
    setShown(next);
    setNumber((last) => last + 1);
    setOpen(true);
  }, [notifications, takeNotification]);
  if (shown === undefined) return null;
  const { message, type, notificationOptions } = shown;
  return (
    <Snackbar
      key={number}
      open={isOpen}
      autoHideDuration={6_000}
      onClose={(_event, reason) => reason !== 'clickaway' && setOpen(false)}
      anchorOrigin={isPhone ? { vertical: 'top', horizontal: 'center' } : { vertical: 'bottom', horizontal: 'left' }}
    >
      {typeof message === 'string' ? (
        <Alert severity={type} elevation={6}>
          {translate(message, notificationOptions?.messageArgs as object)}
        </Alert>
      ) : (
        (message as ReactElement)
      )}
    </Snackbar>
  );
}

export function ConsoleLayout({ children }: { children?: ReactNode }) {
  const [isOpen] = useSidebarState();
  return (
    <Layout
      appBar={ConsoleBar}
      menu={ConsoleMenu}
      sidebar={ConsoleSidebar}
      data-sidebar={isOpen ? 'open' : 'closed'}
      // Wide tables scroll by themselves, not the page.
      sx={{
        minWidth: 0,
        '& .RaLayout-content, & .RaList-main, & .RaList-content, & .RaShow-card': { minWidth: 0 },
      }}
    >
      <ConnectionNotice />
      <ActionDialogs>{children}</ActionDialogs>
    </Layout>
  );
}
