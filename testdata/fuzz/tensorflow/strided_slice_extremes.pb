
C
xPlaceholder*$
shape:ÿÿÿÿÿÿÿÿÿ*
dtype0
B
bConst*
dtype0*)
value B:€€€€øÿÿÿÿ€€€€øÿÿÿÿ
8
eConst*
dtype0*
valueB:
ÿÿÿÿÿÿÿÿ
B
sConst*)
value B:€€€€øÿÿÿÿ€€€€øÿÿÿÿ*
dtype0
w
yStridedSlicexbes*
shrink_axis_maskÿÿÿÿÿÿÿÿÿ*

begin_maskÿÿÿÿÿÿÿÿÿ*
new_axis_maskÿÿÿÿÿÿÿÿÿ