import { TokensOperatorModule, TokensOperatorService } from '@platform/tokens';

export const modules = [TokensOperatorModule];
export const services = { serviceTokens: TokensOperatorService };
