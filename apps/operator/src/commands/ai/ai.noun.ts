import type { Noun } from '../command';
import { aiAccounting } from './ai-accounting.command';
import { aiConfigure } from './ai-configure.command';
import { aiCredit } from './ai-credit.command';
import { aiLedger } from './ai-ledger.command';
import { aiPrice } from './ai-price.command';
import { aiPrices } from './ai-prices.command';
import { aiShow } from './ai-show.command';
import { aiUnknown } from './ai-unknown.command';
import { aiUsage } from './ai-usage.command';
import { aiVerify } from './ai-verify.command';

export const aiNoun: Noun = {
  name: 'ai',
  description: 'AI settings, prices and credit of customers',
  commands: [aiConfigure, aiShow, aiPrice, aiPrices, aiCredit, aiLedger, aiUsage, aiAccounting, aiUnknown, aiVerify],
};
