import { Send, Square } from 'lucide-react';
import { type KeyboardEvent, type Ref, useState } from 'react';
import { Button } from '@/components/ui/button.tsx';
import { Textarea } from '@/components/ui/input.tsx';
import { useTranslation } from '@/lib/use-translation.ts';

interface ComposerProps {
  ref?: Ref<HTMLTextAreaElement>;
  pending: boolean;
  /** False where there is nobody to ask, or a setting is wrong. */
  ready: boolean;
  onSend: (question: string) => void;
  onStop: () => void;
}

/** Enter sends, with Shift it breaks the line; an input method's Enter chooses a word. */
export function Composer({ ref, pending, ready, onSend, onStop }: ComposerProps) {
  const { t } = useTranslation();
  const [text, setText] = useState('');
  const canSend = ready && !pending && text.trim() !== '';
  const send = () => {
    if (!canSend) return;
    onSend(text.trim());
    setText('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form
      className="flex flex-1 items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Textarea
        ref={ref}
        rows={2}
        aria-label={t('chat.message')}
        placeholder={t('chat.placeholder')}
        className="field-sizing-content max-h-40 min-h-[58px] resize-none text-base"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {pending ? (
        <Button size="lg" onClick={onStop}>
          <Square aria-hidden="true" />
          {t('token.stop')}
        </Button>
      ) : (
        <Button type="submit" size="lg" variant="primary" disabled={!canSend}>
          <Send aria-hidden="true" />
          {t('chat.send')}
        </Button>
      )}
    </form>
  );
}
