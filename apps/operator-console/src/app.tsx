import { Admin, CustomRoutes, Resource } from 'react-admin';
import { QueryClient } from '@tanstack/react-query';
import { HashRouter, Route } from 'react-router-dom';
import { AccountPage } from './account-page';
import { dataProvider } from './data-provider';
import { ConsoleLayout, ConsoleNotification } from './layout';
import { LoggedInPage, LoginPage } from './login/login-page';
import { AccountingPage } from './resources/accounting';
import { AccountList } from './resources/accounts';
import { AuditList } from './resources/audit';
import { CreditRequestList } from './resources/credit-requests';
import { CustomerList } from './resources/customers';
import { EventList } from './resources/events';
import { InstallationPage } from './resources/installation';
import { InvoiceSyncList } from './resources/invoice-syncs';
import { InvoiceList, InvoicePage } from './resources/invoices';
import { LedgerProblems } from './resources/ledger-problems';
import { PriceList } from './resources/prices';
import { RefusedRequestList, RequestPage } from './resources/refused-requests';
import { SmsList } from './resources/sms';
import { StatusPage } from './resources/status';
import { TicketList, TicketPage } from './resources/tickets';
import { TokenList } from './resources/tokens';
import { UnknownCallList } from './resources/unknown-calls';
import { WebhookEndpointList, WebhookEndpointPage } from './resources/webhooks';
import { authProvider } from './session';
import { lazyPage } from './shared/lazy-page';
import { retryUnlessRefused } from './shared/refresh';
import { routerProvider } from './shared/router';
import { consoleStore } from './shared/store';
import { darkTheme, lightTheme } from './theme';

// With the charts, which are not needed for the first page of most days' work.
const TodayPage = lazyPage(() => import('./today-page'));
const CustomerPage = lazyPage(() => import('./customer/customer-page'));

const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: retryUnlessRefused,
      retryDelay: (failures) => Math.min(1_000 * 2 ** failures, 5_000),
      refetchOnWindowFocus: true,
    },
  },
});

export function App() {
  return (
    // A click leaves its page at once, also while the code of the next page is on its way.
    <HashRouter useTransitions={false}>
      <Admin
        title="Operator console"
        dataProvider={dataProvider}
        routerProvider={routerProvider}
        authProvider={authProvider}
        queryClient={queryClient}
        store={consoleStore}
        theme={lightTheme}
        darkTheme={darkTheme}
        layout={ConsoleLayout}
        notification={ConsoleNotification}
        loginPage={LoginPage}
        dashboard={TodayPage}
        requireAuth
        disableTelemetry
      >
        <Resource name="customers" list={CustomerList} show={CustomerPage} recordRepresentation="name" />
        <Resource name="credit-requests" list={CreditRequestList} />
        <Resource name="tickets" list={TicketList} show={TicketPage} />
        <Resource name="status-events" list={StatusPage} options={{ label: 'Status' }} />
        <Resource name="prices" list={PriceList} />
        <Resource name="invoices" list={InvoiceList} show={InvoicePage} />
        <Resource name="invoice-syncs" list={InvoiceSyncList} />
        <Resource name="sms" list={SmsList} options={{ label: 'SMS' }} />
        <Resource name="tokens" list={TokenList} />
        <Resource
          name="requests"
          list={RefusedRequestList}
          show={RequestPage}
          options={{ label: 'Refused requests' }}
        />
        <Resource name="audit" list={AuditList} />
        <Resource name="events" list={EventList} />
        <Resource
          name="webhook-endpoints"
          list={WebhookEndpointList}
          show={WebhookEndpointPage}
          options={{ label: 'Webhooks' }}
        />
        <Resource name="accounts" list={AccountList} />
        <CustomRoutes>
          <Route path="/account" element={<AccountPage />} />
          <Route path="/installation" element={<InstallationPage />} />
          <Route path="/accounting" element={<AccountingPage />} />
          <Route path="/ledger-problems" element={<LedgerProblems />} />
          <Route path="/unknown-calls" element={<UnknownCallList />} />
        </CustomRoutes>
        <CustomRoutes noLayout>
          <Route path="/login/link" element={<LoginPage />} />
          <Route path="/login/done" element={<LoggedInPage />} />
        </CustomRoutes>
      </Admin>
    </HashRouter>
  );
}
