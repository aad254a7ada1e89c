import { command } from '../command';

export const aiPrices = command({
  name: 'prices',
  description: 'list what the models cost, and from when',
  options: {},
  examples: ['', '--csv'],
  reads: true,
  services: () => import('../../services/ai.services.js'),
  run: ({ prices }) => prices.list(),
});
