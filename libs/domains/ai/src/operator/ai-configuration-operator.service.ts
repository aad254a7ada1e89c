import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { announceTokenChange } from '@platform/tokens';
import { AuditService } from '@platform/audit';
import { EntityReadsService, type EntityTable } from '@platform/database';
import { requireChange, requireNoFault, ServiceError } from '@platform/errors';
import { BillingCalendar } from '@platform/time';
import { lockCustomer, requireCustomer } from '@domains/customers';
import { providerKeyFault, thresholdsFault } from '../ai-values';
import { AiAccount } from '../entities/ai-account.entity';
import { AiModelPrice } from '../entities/ai-model-price.entity';
import { AiSettings, USUAL_CREDIT_THRESHOLDS } from '../entities/ai-settings.entity';
import { presentBalances } from '../ledger/present-balances';
import { ProviderKeysService } from '../provider-keys/provider-keys.service';
import { IncludedCreditOperatorService } from './included-credit-operator.service';

/** A change of a customer's AI settings; undefined fields stay unchanged. Amounts in NOK as decimal texts. */
export interface AiConfigurationChange {
  enabled?: boolean;
  model?: string;
  /** Included credit per month. An increase is added at once, a decrease applies from next month. */
  includedNok?: string;
  /** Most included credit that may be used in a month; null removes the limit. */
  monthlyLimitNok?: string | null;
  /** Most that may be used in a month, purchased credit included; null removes the limit. */
  totalLimitNok?: string | null;
  /** Shares of the month's credit, in percent, of whose use the customer is told; null returns to 80. */
  creditThresholds?: number[] | null;
  /** The customer's own provider key; null returns to the service-wide one. */
  apiKey?: string | null;
}

/** Why all of a customer's messages are refused. */
export const AI_FAULTS = ['disabled', 'no_model', 'no_price', 'no_key', 'key_unreadable'] as const;
export type AiFault = (typeof AI_FAULTS)[number];

/** A customer's AI settings and balances, without the key. */
export interface AiConfigurationView {
  customerId: string;
  enabled: boolean;
  model: string | null;
  ownKey: boolean;
  /** Included credit per month according to the customer's `ai` service. */
  monthlyIncludedNok: string;
  /** Included credit of this month, and of the next one as configured now. */
  includedThisMonthNok: string;
  includedFromNextMonthNok: string;
  monthlyLimitNok: string | null;
  totalLimitNok: string | null;
  creditThresholds: number[];
  month: string | null;
  includedNok: string;
  purchasedNok: string;
  reservedNok: string;
  monthUsageNok: string;
  /** Null if messages are answered, as far as the settings go. */
  fault: AiFault | null;
}

/** The balances of an account in the present month, and the credit that is granted for it. */
interface Balances {
  month: string;
  granted: string;
  included: string;
  purchased: string;
  reserved: string;
  usage: string;
}

/** Manages customers' AI settings for the operator. Every change is audited. */
@Injectable()
export class AiConfigurationOperatorService {
  private readonly balances: string;

  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditService,
    private readonly calendar: BillingCalendar,
    private readonly keys: ProviderKeysService,
    private readonly included: IncludedCreditOperatorService,
    reads: EntityReadsService,
  ) {
    this.balances = balancesSql(reads.table(AiAccount, 'a'), reads.table(AiSettings, 's'));
  }

  /** Creates or changes a customer's AI settings. @throws ServiceError not_found, invalid_request */
  async configure(actor: string, customerId: string, change: AiConfigurationChange): Promise<AiConfigurationView> {
    const { enabled, model, includedNok, monthlyLimitNok, totalLimitNok, creditThresholds, apiKey } =
      requireChange(change);
    if (creditThresholds) requireNoFault('The thresholds', thresholdsFault(creditThresholds));
    if (typeof apiKey === 'string') requireNoFault('The key', providerKeyFault(apiKey));
    return this.dataSource.transaction(async (manager) => {
      await lockCustomer(manager, customerId);
      if (model !== undefined) await requirePrice(manager, model);
      // Then row locks in the same order as AI calls take them: the account first.
      await manager.query('insert into ai_account (customer_id) values ($1) on conflict do nothing', [customerId]);
      await manager.query('select from ai_account where customer_id = $1 for no key update', [customerId]);
      await this.included.beginMonth(manager, customerId);
      await manager.query('insert into ai_settings (customer_id) values ($1) on conflict do nothing', [customerId]);
      const { now } = await this.calendar.present(manager);
      await manager.update(
        AiSettings,
        { customerId },
        {
          updatedAt: now,
          ...(enabled !== undefined && { enabled }),
          ...(model !== undefined && { model }),
          ...(monthlyLimitNok !== undefined && { monthlyLimit: monthlyLimitNok }),
          ...(totalLimitNok !== undefined && { totalLimit: totalLimitNok }),
          ...(creditThresholds !== undefined && {
            creditThresholds: creditThresholds?.toSorted((a, b) => a - b) ?? null,
          }),
          ...(apiKey !== undefined && { keyCiphertext: apiKey === null ? null : this.keys.seal(customerId, apiKey) }),
        },
      );
      if (includedNok !== undefined) await this.included.set(manager, customerId, includedNok);
      await this.included.grantRaise(manager, actor, customerId);
      await manager.query('select app.ai_announce_thresholds($1)', [customerId]);
      if (enabled !== undefined) await announceTokenChange(manager, customerId);
      await this.audit.record(manager, { customerId, actor, action: 'ai.configure', metadata: audited(change) });
      return this.view(manager, customerId);
    });
  }

  /** A customer's AI settings and balances. @throws ServiceError not_found */
  async show(customerId: string): Promise<AiConfigurationView> {
    await requireCustomer(this.dataSource.manager, customerId);
    return this.view(this.dataSource.manager, customerId);
  }

  private async view(manager: EntityManager, customerId: string): Promise<AiConfigurationView> {
    const settings = await manager.findOneBy(AiSettings, { customerId });
    const included = await this.included.find(manager, customerId);
    const nextMonth = settings?.enabled ? included : '0.000000000000';
    const [account] = await manager.query<Balances[]>(this.balances, [customerId, this.calendar.timeZone, nextMonth]);
    return {
      customerId,
      enabled: settings?.enabled ?? false,
      model: settings?.model ?? null,
      ownKey: settings?.keyCiphertext !== undefined && settings.keyCiphertext !== null,
      monthlyIncludedNok: included,
      includedThisMonthNok: account?.granted ?? nextMonth,
      includedFromNextMonthNok: nextMonth,
      monthlyLimitNok: settings?.monthlyLimit ?? null,
      totalLimitNok: settings?.totalLimit ?? null,
      creditThresholds: settings?.creditThresholds ?? USUAL_CREDIT_THRESHOLDS,
      month: account?.month ?? null,
      includedNok: account?.included ?? '0',
      purchasedNok: account?.purchased ?? '0',
      reservedNok: account?.reserved ?? '0',
      monthUsageNok: account?.usage ?? '0',
      fault: await this.faultOf(manager, settings),
    };
  }

  /** What calls would be refused for, in the order in which they are. */
  private async faultOf(manager: EntityManager, settings: AiSettings | null): Promise<AiFault | null> {
    if (!settings?.enabled) return 'disabled';
    const { customerId, model, keyCiphertext } = settings;
    if (model === null) return 'no_model';
    const [priced] = await manager.query<object[]>(
      'select from ai_model_price where model = $1 and valid_from <= app.now() limit 1',
      [model],
    );
    if (priced === undefined) return 'no_price';
    if (keyCiphertext === null) return this.keys.hasShared ? null : 'no_key';
    return this.keys.canOpen(customerId, keyCiphertext) ? null : 'key_unreadable';
  }
}

/** The balances of the customer `$1` in the billing time zone `$2`; the month begins with the credit `$3`. No row without an account. */
function balancesSql(a: EntityTable<AiAccount>, s: EntityTable<AiSettings>): string {
  return `
    select b.month, b.granted::text, b.included::text, b.purchased::text, b.reserved::text, b.usage::text
    from ${a.from} left join ${s.from} on ${s.column('customerId')} = ${a.column('customerId')}
    cross join (select app.billing_month(app.now(), $2) as month) c
    cross join lateral (${presentBalances(a, s, { month: 'c.month', grant: '$3::numeric' })}) b
    where ${a.column('customerId')} = $1`;
}

/** The change as it is written to the audit log: that a key was set, not which. */
function audited({ apiKey, ...rest }: AiConfigurationChange): Record<string, unknown> {
  return apiKey === undefined ? rest : { ...rest, own_key: apiKey === null ? 'removed' : 'set' };
}

async function requirePrice(manager: EntityManager, model: string): Promise<void> {
  if (await manager.existsBy(AiModelPrice, { model })) return;
  throw new ServiceError(
    'invalid_request',
    `The model ${model} has no price: set one first (ai price, or Prices in the console)`,
  );
}
