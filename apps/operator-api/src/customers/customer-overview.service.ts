import { Injectable } from '@nestjs/common';
import { AiAccountingOperatorService, AiConfigurationOperatorService, AiUsageOperatorService } from '@domains/ai';
import { CreditRequestsOperatorService } from '@domains/credit-requests';
import { type Customer, CustomersOperatorService } from '@domains/customers';
import { InvoicesOperatorService } from '@domains/invoices';
import { ServicesOperatorService } from '@domains/services';
import { StatusEventsOperatorService } from '@domains/status';
import { TicketsOperatorService } from '@domains/support';
import { AppConfig } from '@platform/config';
import { jsonAmount } from '@platform/money';
import type { InboxPage, InboxRequest } from '@platform/pagination';
import { TokensOperatorService } from '@platform/tokens';
import { toUsageSumDto } from '../ai/ai-records.dto';
import { toAiSettingsDto } from '../ai/ai-settings.dto';
import { toCustomerDto } from './customer.dto';
import type { CustomerOverviewDto } from './customer-overview.dto';

const ONE: InboxRequest = { limit: 1 };
const MONTH = { limit: 200 };

/** A customer with what it has spent this month. */
export interface ListedCustomer {
  customer: Customer;
  spentNok: number;
}

/** Customers with figures of other domains: in the list, and one at a glance. */
@Injectable()
export class CustomerOverviewService {
  constructor(
    private readonly accounting: AiAccountingOperatorService,
    private readonly configuration: AiConfigurationOperatorService,
    private readonly creditRequests: CreditRequestsOperatorService,
    private readonly customers: CustomersOperatorService,
    private readonly events: StatusEventsOperatorService,
    private readonly invoices: InvoicesOperatorService,
    private readonly services: ServicesOperatorService,
    private readonly tickets: TicketsOperatorService,
    private readonly tokens: TokensOperatorService,
    private readonly usage: AiUsageOperatorService,
    private readonly config: AppConfig,
  ) {}

  /** A page of the customers. */
  async list(filter: { search?: string; active?: boolean }, request: InboxRequest): Promise<InboxPage<ListedCustomer>> {
    const page = await this.customers.inbox(filter, request);
    const spent = await this.accounting.spentThisMonth(page.items.map(({ id }) => id));
    return page.map((customer) => ({ customer, spentNok: jsonAmount(spent.get(customer.id) ?? '0') }));
  }

  /** A customer at a glance. @throws ServiceError not_found */
  async read(customerId: string): Promise<CustomerOverviewDto> {
    const customer = await this.customers.find(customerId);
    const total = async (page: Promise<InboxPage<unknown>>) => (await page).total;
    // A customer who was erased has no usage that could be read as its own.
    const summary = (groupBy: 'day' | 'model') =>
      customer.erasedAt
        ? Promise.resolve([])
        : this.usage.summary(customerId, { groupBy }, MONTH).then(({ page }) => page.items);
    const [ai, byDay, byModel, owed, services, tokens, requests, tickets, unanswered, events] = await Promise.all([
      customer.erasedAt ? undefined : this.configuration.show(customerId),
      summary('day'),
      summary('model'),
      this.invoices.owedBy(customerId),
      this.services.list(customerId),
      this.tokens.countAccepted(customerId),
      total(this.creditRequests.inbox({ customerId, status: 'pending' }, ONE)),
      total(this.tickets.inbox({ customerId, status: 'open' }, ONE)),
      total(this.tickets.inbox({ customerId, unanswered: true }, ONE)),
      total(this.events.inbox({ customerId, present: true }, ONE)),
    ]);
    return {
      customer: toCustomerDto(customer),
      limits_in_force: {
        requests_per_minute: customer.requestsPerMinute ?? this.config.RATE_LIMIT_REQUESTS_PER_MINUTE,
        ai_per_minute: customer.aiPerMinute ?? this.config.RATE_LIMIT_AI_PER_MINUTE,
        sms_per_minute: customer.smsPerMinute ?? this.config.RATE_LIMIT_SMS_PER_MINUTE,
        pending_credit_requests: customer.pendingCreditRequests ?? this.config.PENDING_CREDIT_REQUESTS,
      },
      ai: ai === undefined ? null : toAiSettingsDto(ai),
      usage_by_day: byDay.map(toUsageSumDto),
      usage_by_model: byModel.map(toUsageSumDto),
      owed_nok: jsonAmount(owed.owedNok),
      overdue_nok: jsonAmount(owed.overdueNok),
      counts: {
        services: services.length,
        active_tokens: tokens,
        pending_credit_requests: requests,
        open_tickets: tickets,
        unanswered_tickets: unanswered,
        open_invoices: owed.open,
        present_status_events: events,
      },
    };
  }
}
