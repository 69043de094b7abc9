import { expect, it } from 'bun:test';
import { limits } from '../../core/limits.ts';
import { fitting } from './row-bound.ts';

const heavy = (bytes: number) => 'x'.repeat(bytes);

it('a row of usual size stays as it is', () => {
  const other = { model_price: 1, frt: 3, lost: ['fps'] };
  expect(fitting(other, { model_price: 1 })).toBe(other);
});

it('a row that is too heavy loses its heaviest fields, says which, and keeps its price', () => {
  const price = { model_price: 1, formula: heavy(2_000) };
  const other = {
    ...price,
    task_id: 'f',
    lost: [heavy(limits.logOtherBytes)],
    tool: heavy(limits.logOtherBytes - 2_100),
    admin_info: { use_channel: ['1'] },
  };
  const fits = fitting(other, price);
  expect(fits).toEqual({ ...price, task_id: 'f', admin_info: { use_channel: ['1'] }, cut: ['lost', 'tool'] });
});
