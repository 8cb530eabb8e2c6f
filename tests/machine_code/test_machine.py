"""Hand-written machine code: what is exact, what data makes inexact, how lanes meet again."""

from __future__ import annotations

from kernlint.machine_code.tally import BY_DATA, UNMEASURED
from tests.machine_code.handmade import counts

ADDRESS = """
    S2R R0,SR_TID.X
    LDC.64 R2,c[0x0][0x210]
    IMAD.WIDE R2,R0,0x4,R2
"""


def test_a_row_of_words_takes_four_sectors_a_warp() -> None:
    (load,) = counts(ADDRESS + "LDG.E R4,desc[UR4][R2.64]\nEXIT").values()
    assert (load.requests, load.threads, load.units, load.ideal, load.doubt) == (2, 64, 8, 8, "")


def test_predicated_lanes_are_not_counted_but_the_request_is() -> None:
    text = ADDRESS + "ISETP.GE.AND P0,PT,R0,0x10,PT\n@!P0 STG.E desc[UR4][R2.64],R0\nEXIT"
    store = counts(text)["STG.E"]
    assert (store.requests, store.threads, store.units, store.doubt) == (2, 16, 2, "")


def test_what_is_not_measured_is_not_put_down_to_data() -> None:
    atomic = "REDG.E.ADD.64.STRONG.GPU desc[UR4][R2.64],R6"
    guarded = f"LDC R6,c[0x0][0x218]\nISETP.GE.AND P0,PT,R0,R6,PT\n@P0 {atomic}"
    (sure,) = counts(ADDRESS + f"{atomic}\nEXIT").values()
    (open_,) = counts(ADDRESS + f"{guarded}\nEXIT").values()
    assert (sure.doubt, open_.doubt) == (UNMEASURED, BY_DATA)


def test_an_unknown_argument_makes_what_it_guards_inexact_only() -> None:
    text = (
        ADDRESS
        + """
        LDG.E R5,desc[UR4][R2.64]
        LDC R6,c[0x0][0x218]
        ISETP.GE.AND P0,PT,R0,R6,PT
        @P0 BRA out
        STG.E desc[UR4][R2.64],R5
        out:
        STG.E.64 desc[UR4][R2.64],R4
        EXIT"""
    )
    unknown, known = counts(text), counts(text, n=40)
    assert not unknown["LDG.E"].doubt and unknown["STG.E"].doubt and not unknown["STG.E.64"].doubt
    assert (known["STG.E"].threads, known["STG.E"].doubt) == (40, "")


def test_a_register_written_on_one_side_is_unknown_where_the_sides_meet() -> None:
    text = """
        S2R R0,SR_TID.X
        LDC.64 R2,c[0x0][0x210]
        LDG.E R5,desc[UR4][R2.64]
        ISETP.NE.AND P0,PT,R5,RZ,PT
        @P0 BRA out
        IADD3 R0,R0,0x1,RZ
        out:
        SHF.L.U32 R1,R0,0x2,RZ
        LDS R4,[R1]
        EXIT"""
    assert counts(text)["LDS"].doubt


def test_two_way_conflicts_are_counted() -> None:
    text = "S2R R0,SR_TID.X\nSHF.L.U32 R1,R0,0x3,RZ\nSTS [R1+0x400],R0\nEXIT"
    store = counts(text)["STS"]
    assert (store.requests, store.units, store.ideal, store.doubt) == (2, 4, 2, "")


def test_integers_pass_through_shared_memory() -> None:
    """Each thread stores 2t, reads its neighbour's number behind a barrier, and indexes with it."""
    text = """
        S2R R0,SR_TID.X
        SHF.L.U32 R1,R0,0x2,RZ
        IADD3 R2,R0,R0,RZ
        STS [R1+0x400],R2
        BAR.SYNC.DEFER_BLOCKING 0x0
        LOP3.LUT R3,R1,0x4,RZ,0x3c,!PT
        LDS R4,[R3+0x400]
        SHF.L.U32 R5,R4,0x2,RZ
        LDS.U8 R6,[R5+0x400]
        EXIT"""
    loads = counts(text, block=32, shared=256)
    assert (loads["LDS.U8"].units, loads["LDS.U8"].doubt) == (2, "")


def test_lanes_that_leave_a_loop_wait_for_the_others() -> None:
    """Lane t makes t + 1 iterations; the store behind the loop is one request a warp."""
    text = """
        S2R R0,SR_TID.X
        MOV R1,RZ
        BSSY B0,met
        loop:
        LDS R4,[R1]
        ISETP.GE.AND P0,PT,R1,R0,PT
        IADD3 R1,R1,0x1,RZ
        @!P0 BRA loop
        BSYNC B0
        met:
        STS.64 [RZ],R4
        EXIT"""
    found = counts(text, block=32)
    assert (found["LDS"].requests, found["LDS"].threads) == (32, 32 * 33 // 2)
    assert (found["STS.64"].requests, found["STS.64"].doubt) == (1, "")


def test_an_opcode_without_a_row_makes_its_result_unknown() -> None:
    text = "S2R R0,SR_TID.X\nFROB R1,R0\nLDS R4,[R1]\nLDS.64 R6,[R0]\nEXIT"
    found = counts(text)
    assert found["LDS"].doubt and not found["LDS.64"].doubt


def test_what_only_data_keeps_from_running_is_counted_without_a_number() -> None:
    text = ADDRESS + "LDC R6,c[0x0][0x218]\nISETP.GE.AND P0,PT,R0,R6,PT\nfrom:\n@P0 BRA to\n"
    text += "EXIT\nto:\nSTG.E desc[UR4][R2.64],R0\nEXIT"
    assert counts(text)["STG.E"].doubt


def test_a_jump_that_is_not_understood_leaves_nothing_exact() -> None:
    text = ADDRESS + "LDG.E R4,desc[UR4][R2.64]\nBRX R4,-0x140\nEXIT"
    assert counts(text)["LDG.E"].doubt


def test_lanes_that_wait_for_ever_leave_nothing_exact() -> None:
    text = "S2R R0,SR_TID.X\nLDS R4,[R0]\nISETP.GE.AND P0,PT,R0,0x20,PT\n"
    text += "@P0 BAR.SYNC 0x1,0x60\nEXIT"
    assert counts(text)["LDS"].doubt


def test_blocks_add_up() -> None:
    text = """
        S2R R0,SR_TID.X
        S2R R1,SR_CTAID.X
        IMAD R0,R1,0x40,R0
        LDC.64 R2,c[0x0][0x210]
        IMAD.WIDE R2,R0,0x4,R2
        STG.E desc[UR4][R2.64],R0
        EXIT"""
    store = counts(text, blocks=3000)["STG.E"]
    assert (store.requests, store.threads, store.units) == (6000, 192000, 24000)
