/** Tests a channel's models one by one: a result a model, four at a time, until they are done or it is stopped. */
import { useRouter } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import { Button } from '@/components/ui/button.tsx';
import { Checkbox } from '@/components/ui/checkbox.tsx';
import { Dialog, DrawerBody, DrawerContent, DrawerFoot, DrawerHead } from '@/components/ui/dialog.tsx';
import { Input } from '@/components/ui/input.tsx';
import { errorText, failureNotice } from '@/lib/error-text.ts';
import { notify } from '@/lib/notify.ts';
import { useApi } from '@/lib/page-context.ts';
import { useDuration } from '@/lib/use-duration.ts';
import { useTranslation } from '@/lib/use-translation.ts';
import { testModel } from './calls.ts';
import { type Channel, modelsOf } from './channel.ts';
import { getChannel } from './read.ts';
import { Speed } from './response-time.tsx';

interface TestDialogProps {
  channel: Channel;
  onClose: () => void;
}

type Result = { state: 'testing' } | { state: 'ok'; ms: number } | { state: 'bad'; reason: string };

const AT_ONCE = 4;

export function TestDialog({ channel, onClose }: TestDialogProps) {
  const { t } = useTranslation();
  const router = useRouter();
  const [search, setSearch] = useState('');
  const [stream, setStream] = useState(false);
  const { results, testing, run, stop } = useModelTests(channel.id, stream);
  const models = useModels(channel.id);
  const shown = (models ?? []).filter((model) => model.toLowerCase().includes(search.trim().toLowerCase()));
  const close = () => {
    stop();
    onClose();
    // The list shows the time of the last test.
    void router.invalidate();
  };
  return (
    <Dialog open onOpenChange={(open) => !open && close()}>
      <DrawerContent aria-describedby={undefined}>
        <DrawerHead title={t('channel.testTitle', { name: channel.name })} />
        <DrawerBody aria-label={t('channel.models')}>
          <div className="mb-3 flex flex-wrap items-center gap-3">
            <Input
              type="search"
              className="w-60 max-md:w-full"
              aria-label={t('channel.searchModel')}
              placeholder={t('channel.searchModel')}
              value={search}
              onChange={(event) => setSearch(event.target.value)}
            />
            <label className="flex min-h-8 cursor-pointer items-center gap-2 text-sm max-md:min-h-11">
              <Checkbox checked={stream} onChange={(event) => setStream(event.target.checked)} />
              {t('channel.testStream')}
            </label>
          </div>
          <ul className="divide-y divide-line border-y border-line text-sm">
            {shown.map((model) => (
              <ModelRow
                key={model}
                model={model}
                result={results.get(model)}
                onTest={() => void run([model])}
              />
            ))}
            {models && shown.length === 0 && <li className="py-2.5 text-muted">{t('channel.noModel')}</li>}
          </ul>
        </DrawerBody>
        <DrawerFoot>
          <Button size="lg" onClick={close}>
            {t('app.close')}
          </Button>
          <span className="ml-auto">
            {testing ? (
              <Button size="lg" onClick={stop}>
                {t('channel.testStop')}
              </Button>
            ) : (
              <Button
                size="lg"
                variant="primary"
                disabled={shown.length === 0}
                onClick={() => void run(shown)}
              >
                {t('channel.testShown', { count: shown.length })}
              </Button>
            )}
          </span>
        </DrawerFoot>
      </DrawerContent>
    </Dialog>
  );
}

function ModelRow({ model, result, onTest }: { model: string; result?: Result; onTest: () => void }) {
  const { t } = useTranslation();
  const duration = useDuration();
  return (
    <li className="flex items-center gap-3 py-2">
      <div className="min-w-0 flex-1">
        <span className="font-mono text-xs wrap-anywhere">{model}</span>
        {result?.state === 'bad' && <p className="mt-0.5 text-xs break-words text-bad">{result.reason}</p>}
      </div>
      <span role="status" className="text-right whitespace-nowrap tabular-nums">
        {result?.state === 'ok' && <Speed ms={Math.max(1, result.ms)}>{duration(result.ms / 1_000)}</Speed>}
      </span>
      <Button
        size="sm"
        busy={result?.state === 'testing'}
        aria-label={t('channel.testModelNamed', { model })}
        onClick={onTest}
      >
        {t('channel.test')}
      </Button>
    </li>
  );
}

/** The channel's models; null until they are known. */
function useModels(channelId: number): readonly string[] | null {
  const { t } = useTranslation();
  const api = useApi();
  const [models, setModels] = useState<readonly string[] | null>(null);
  useEffect(() => {
    let isThere = true;
    getChannel(api, channelId).then(
      (channel) => isThere && setModels(modelsOf(channel)),
      (error: unknown) => {
        if (!isThere) return;
        setModels([]);
        notify(failureNotice(error, t));
      },
    );
    return () => {
      isThere = false;
    };
  }, [api, channelId, t]);
  return models;
}

function useModelTests(channelId: number, stream: boolean) {
  const { t } = useTranslation();
  const api = useApi();
  const [results, setResults] = useState<ReadonlyMap<string, Result>>(new Map());
  const [testing, setTesting] = useState(false);
  const stopped = useRef(false);
  const stop = useCallback(() => {
    stopped.current = true;
  }, []);
  useEffect(() => stop, [stop]);

  const note = (model: string, result: Result) => setResults((old) => new Map(old).set(model, result));
  const testOne = async (model: string) => {
    note(model, { state: 'testing' });
    const startedAt = performance.now();
    try {
      await testModel(api, channelId, model, stream);
      note(model, { state: 'ok', ms: performance.now() - startedAt });
    } catch (error) {
      note(model, { state: 'bad', reason: errorText(error, t) });
    }
  };
  const run = async (models: readonly string[]) => {
    stopped.current = false;
    setTesting(true);
    const waiting = models.values();
    const worker = async () => {
      for (const model of waiting) {
        if (stopped.current) return;
        await testOne(model);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    setTesting(false);
  };
  return { results, testing, run, stop };
}
