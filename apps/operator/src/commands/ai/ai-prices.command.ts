import { command } from '../command';

export const aiPrices = command({
  name: 'prices',
  description: 'list what the models cost, and from when',
  options: {},
  examples: ['', '--csv'],
  reads: true,
  columns: ['model', 'valid_from', 'input', 'output', 'cache_write5m', 'cache_write1h', 'cache_read', 'example'],
  moreColumns: ['created_at'],
  services: () => import('../../services/ai.services.js'),
  run: ({ prices }) => prices.list(),
});
