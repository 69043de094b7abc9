/** Follows the rewards that are being sent for an activity, whoever began it and when. */
import { useRouter } from '@tanstack/react-router';
import { useCallback, useEffect, useState } from 'react';
import { useApi } from '@/lib/page-context.ts';
import { type Dispatch, isUnderWay } from './activity.ts';

const POLL_MS = 500;

/** `first` as the page was loaded; `follow` asks anew, as after one was begun. Rejects with ApiError. */
export function useDispatch(activityId: number, first: Dispatch | null) {
  const api = useApi();
  const router = useRouter();
  const [dispatch, setDispatch] = useState(first);
  const follow = useCallback(async () => {
    const now = await api.get('/api/activity/:id/dispatch', { params: { id: String(activityId) } });
    setDispatch(now);
    // The list behind tells how many were rewarded.
    if (!now || !isUnderWay(now)) void router.invalidate();
  }, [api, activityId, router]);
  const runs = dispatch !== null && isUnderWay(dispatch);
  useEffect(() => {
    if (!runs) return;
    // A server that is away for a moment is asked again.
    const timer = setInterval(() => void follow().catch(() => undefined), POLL_MS);
    return () => clearInterval(timer);
  }, [runs, follow]);
  return { dispatch, follow };
}
