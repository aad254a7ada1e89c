import { customer } from '../../options/shared-options';
import { command } from '../command';

export const tokenList = command({
  name: 'list',
  description: 'list the tokens of a customer',
  options: { customer },
  examples: ['--customer 100001', '--customer "Fjordlys AS" -o wide'],
  reads: true,
  columns: ['name', 'scopes', 'active', 'expires_at', 'last_used_at', 'id'],
  moreColumns: ['created_at', 'rotated_from', 'customer_id'],
  services: () => import('../../services/tokens.services.js'),
  run: ({ serviceTokens }, { customer }) => serviceTokens.list(customer),
});
