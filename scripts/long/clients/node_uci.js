// node-uci as a client of the engine: handshake, options, searches by every limit, stop, a whole game.
// Usage: node node_uci.js ENGINE. Needs the package node-uci.
const assert = require('assert')
const { execFileSync } = require('child_process')
const { Engine } = require('node-uci')

async function main() {
  const engine = new Engine(process.argv[2])
  await engine.init()
  assert.ok(engine.id.name.startsWith('millbrain'), engine.id.name)
  const options = Object.fromEntries(engine.options)
  const kinds = {}
  for (const option of Object.values(options)) kinds[option.type] = (kinds[option.type] || 0) + 1
  console.log(`${engine.id.name}: ${engine.options.size} options read:`, JSON.stringify(kinds))
  // Its pattern for defaults allows no spaces or commas.
  const reported = execFileSync(process.argv[2], { input: 'uci\nquit\n', encoding: 'utf8' })
  const names = [...reported.matchAll(/^option name (.*?) type /gm)].map(([, name]) => name)
  assert.deepStrictEqual(names.filter(name => !(name in options)), ['UCI_EngineAbout'])
  assert.deepStrictEqual(options.Hash, { type: 'spin', default: 16, min: 1, max: 65536 })
  assert.ok(options.UCI_Variant.options.includes('smess'), JSON.stringify(options.UCI_Variant))
  await engine.isready()
  for (const variant of ['morris', 'muehle', 'mylos', 'mlyn', 'lasker', 'morabaraba', 'smess']) {
    await engine.setoption('UCI_Variant', variant)
    await engine.setoption('MultiPV', '3')
    await engine.ucinewgame()
    await engine.position('startpos')
    let result = await engine.go({ depth: 8 })
    const last = result.info[result.info.length - 1]
    assert.ok(/^[a-g][1-8]/.test(result.bestmove), result.bestmove)
    for (const field of ['depth', 'seldepth', 'nodes', 'nps', 'time', 'hashfull', 'tbhits', 'multipv', 'score', 'pv']) {
      assert.ok(field in last, field)
    }
    assert.strictEqual(last.multipv, 3)
    await engine.setoption('MultiPV', '1')
    result = await engine.go({ nodes: 3000 })
    assert.ok(result.bestmove)
    result = await engine.go({ movetime: 20 })
    assert.ok(result.bestmove)
    const moves = []
    for (; moves.length < 300; ) {
      await engine.position('startpos', moves)
      result = await engine.go({ wtime: 500, btime: 500, winc: 5, binc: 5, nodes: 400 })
      const over = result.info.some(info => info.string && info.string.startsWith('the game is over'))
      if (over || !result.bestmove || result.bestmove.startsWith('(')) break
      moves.push(result.bestmove)
    }
    console.log(`${variant}: searched by depth, nodes and time; a game of ${moves.length} plies`)
    await engine.position('startpos')
    const emitter = engine.goInfinite({})
    let seen = 0
    emitter.on('data', () => { seen += 1 })
    await new Promise(resolve => setTimeout(resolve, 60))
    result = await engine.stop()
    assert.ok(seen > 0 && result.bestmove, 'an infinite search reports and stops')
  }
  await engine.quit()
  console.log(`node-uci ${require('node-uci/package.json').version}: done`)
}

main().catch(error => {
  console.error(error)
  process.exit(1)
})
