import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './root.mjs'

const print = () => execFileSync(process.execPath, [join(root, 'scripts/sbom.mjs')], { maxBuffer: 1 << 26 })

test('the bill of materials names what runs, and is the same each time', () => {
  const text = print().toString()
  const { bomFormat, metadata, components } = JSON.parse(text)
  const names = components.map(({ purl }) => purl.replace(/@[^@]*$/, ''))
  expect([bomFormat, metadata.component.name]).toEqual(['CycloneDX', 'sendroom'])
  for (const name of ['fastify', 'pg', 'sharp', 'react']) expect(names).toContain(`pkg:npm/${name}`)
  for (const name of ['knip', 'dependency-cruiser']) expect(names).not.toContain(`pkg:npm/${name}`)
  expect(print().toString()).toBe(text)
})
