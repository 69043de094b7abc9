/** Rewards that are being sent, as the top bar follows them once their drawer has been left. */
import { formatNumber } from '@core/money.ts';
import type { Api } from '@/lib/api.ts';
import type { TFunction } from '@/lib/i18n.ts';
import { beginWork, type Task } from '@/lib/works.ts';
import { type Activity, type Dispatch, isUnderWay } from './activity.ts';

const POLL_MS = 1_000;
const TRIES = 10;

/** Until everybody had his turn. Never rejects. */
export const followAfar = (api: Api, { id, name }: Activity, t: TFunction): Promise<void> =>
  beginWork(
    {
      kind: `reward-${id}`,
      title: t('activity.sendingFor', { name }),
      place: `/activity-config/reward/${id}`,
      t,
    },
    untilSent(
      () => api.get('/api/activity/:id/dispatch', { params: { id: String(id) } }),
      (dispatch) => sentText(name, dispatch, t),
    ),
  );

const untilSent =
  (read: () => Promise<Dispatch | null>, told: (dispatch: Dispatch | null) => string): Task =>
  async (report) => {
    let failures = 0;
    for (;;) {
      try {
        const dispatch = await read();
        failures = 0;
        if (!dispatch || !isUnderWay(dispatch)) return told(dispatch);
        const { results } = dispatch;
        report({ done: results.filter(({ result }) => result !== null).length, total: results.length });
      } catch (error) {
        // A server that restarts is away for a moment.
        failures += 1;
        if (failures === TRIES) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  };

function sentText(name: string, dispatch: Dispatch | null, t: TFunction): string {
  const results = dispatch?.results ?? [];
  const granted = results.filter(({ result }) => result === 'granted').length;
  return t('activity.sentFor', {
    name,
    count: results.length,
    done: formatNumber(granted),
    total: formatNumber(results.length),
  });
}
