import { OperatorAccountsModule, OperatorAccountsService, OperatorSessionsService } from '@platform/operator-accounts';

export const modules = [OperatorAccountsModule];
export const services = { accounts: OperatorAccountsService, sessions: OperatorSessionsService };
