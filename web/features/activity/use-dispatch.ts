/** Follows the rewards that are being sent for an activity, whoever began it and when. */
import { useRouter } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useApi } from '@/lib/page-context.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { type Activity, type Dispatch, isUnderWay } from './activity.ts';
import { followAfar } from './follow-afar.ts';

const POLL_MS = 500;

/** `first` as the page was loaded; `follow` asks anew, as after one was begun. Rejects with ApiError. */
export function useDispatch(activity: Activity, first: Dispatch | null) {
  const { t } = useTranslation();
  const api = useApi();
  const router = useRouter();
  const [dispatch, setDispatch] = useState(first);
  const follow = useCallback(async () => {
    const now = await api.get('/api/activity/:id/dispatch', { params: { id: String(activity.id) } });
    setDispatch(now);
    // The list behind tells how many were rewarded.
    if (!now || !isUnderWay(now)) void router.invalidate();
  }, [api, activity.id, router]);
  const runs = dispatch !== null && isUnderWay(dispatch);
  useEffect(() => {
    if (!runs) return;
    // A server that is away for a moment is asked again.
    const timer = setInterval(() => void follow().catch(() => undefined), POLL_MS);
    return () => clearInterval(timer);
  }, [runs, follow]);
  // Whoever leaves the drawer meanwhile sees in the top bar how far it is.
  const handOn = useRef<() => void>(undefined);
  handOn.current = runs ? () => void followAfar(api, activity, t).then(() => router.invalidate()) : undefined;
  useEffect(() => () => handOn.current?.(), []);
  return { dispatch, follow };
}
