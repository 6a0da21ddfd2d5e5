import { expect, test } from 'vitest'
import { shareReads } from './share-reads.ts'

/** Reads that end when the test says so. */
function openReads() {
  const begun: PromiseWithResolvers<string>[] = []
  const read = shareReads(() => {
    const one = Promise.withResolvers<string>()
    begun.push(one)
    return one.promise
  })
  return { begun, read }
}

// R-1868
test('requests that come during a read share one that begins after it', async () => {
  const { begun, read } = openReads()
  const first = read(1)
  const others = [read(1), read(1), read(1)]
  expect(begun).toHaveLength(1)

  begun[0]?.resolve('old')
  expect(await first).toBe('old')
  begun[1]?.resolve('new')

  expect(await Promise.all(others)).toEqual(['new', 'new', 'new'])
  expect(begun).toHaveLength(2)
})

test('keys wait for nobody else, and a failed read fails those who share it, not the next', async () => {
  const { begun, read } = openReads()
  const failing = [read(1)]
  const next = read(1)
  const other = read(2)
  begun[1]?.resolve('other')
  expect(await other).toBe('other')

  begun[0]?.reject(new Error('lost'))
  await expect(failing[0]).rejects.toThrow('lost')
  begun[2]?.resolve('again')

  expect(await next).toBe('again')
  void read(1)
  expect(begun).toHaveLength(4)
})
